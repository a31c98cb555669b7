import { execFile, execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { zipSync } from 'fflate';
import { expect, test } from 'vitest';
import { systemIds } from '../adapters/system/index.js';
import { jsonLines } from '../testing/foreign-files.js';
import { useImportTarget } from '../testing/import-target.js';
import { runCommand } from '../testing/run-command.js';

const target = useImportTarget();
const { newProject, importInto } = target;

const GUIDE = new URL('../../../../docs/guide/', import.meta.url);
const pages = readdirSync(GUIDE).filter((name) => /^(from-.*|import)\.md$/.test(name));

/** Lines of a page that people run elsewhere, such as at the other product. */
const outsideCommandsOf = (page: string): string[] =>
  [...readFileSync(new URL(page, GUIDE), 'utf8').matchAll(/`((?:curl|bq) [^`]+)`/g)].map(([, line = '']) => line);

const outside = pages.flatMap((page) => outsideCommandsOf(page).map((line) => [page, line] as const));

test('the pages about other products say how to export there', () => {
  expect(outside.map(([page, line]) => [page, line.split(' ')[0]])).toEqual([
    ['from-amplitude.md', 'curl'],
    ['from-google-analytics.md', 'bq'],
    ['from-mixpanel.md', 'curl'],
    ['from-mixpanel.md', 'curl'],
  ]);
});

test.each(outside)('a shell understands a line of %s: %s', (_page, line) => {
  execFileSync('bash', ['-n', '-c', line]);
});

test.each(outside.filter(([, line]) => line.startsWith('curl')))(
  'the line of %s exports what can be imported: %s',
  async (page, line) => {
    const product = page.replace(/^from-|\.md$/g, '');
    const { env, events, id } = await newProject();
    const answers: Record<string, Uint8Array> = {
      '/api/2.0/export': Buffer.from(
        jsonLines({ event: 'Bought', properties: { time: 1_602_611_311, distinct_id: 'ann', $insert_id: 'i' } }),
      ),
      '/api/query/engage': Buffer.from(
        JSON.stringify({ results: [{ $distinct_id: 'ann', $properties: { $email: 'ann@example.com' } }] }),
      ),
      '/api/2/export': zipSync({
        'x/1.json.gz': gzipSync(
          jsonLines({ event_type: 'Bought', user_id: 'ann', event_time: '2024-05-01 10:11:12.345000', uuid: 'u' }),
        ),
      }),
    };
    const seen: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      seen.push(request.headers.authorization);
      response.end(answers[new URL(request.url ?? '', 'http://x').pathname]);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const own = join(target.folder, systemIds.uuid());
    await mkdir(join(own, `${product}-export`), { recursive: true });
    try {
      const address = server.address();
      const here = line.replace(/https:\/\/[^/]+/, `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`);
      await promisify(execFile)('bash', ['-e', '-o', 'pipefail', '-c', here], {
        cwd: own,
        env: { ...process.env, API_KEY: 'key', SECRET_KEY: 'secret', SECRET: 'secret', PROJECT: '1' },
      });
    } finally {
      server.close();
    }
    expect(seen).toEqual([expect.stringMatching(/^Basic /)]);
    await importInto(env, product, join(own, `${product}-export`));
    const persons = (await target.service.call('GET', `/api/projects/${id}/persons/?distinct_id=ann`)).json().results;
    if (line.includes('engage')) expect(persons).toMatchObject([{ properties: { email: 'ann@example.com' } }]);
    else expect(await events()).toMatchObject([{ event: 'Bought', distinct_id: 'ann' }]);
  },
);

/** The commands of a page, in their order. */
const commandsOf = (page: string): string[] =>
  [...readFileSync(new URL(page, GUIDE), 'utf8').matchAll(/```sh\n([\s\S]*?)```/g)]
    .flatMap(([, block = '']) => block.split('\n'))
    .filter((line) => line.startsWith('tidemark '));

test.each(pages.filter((page) => commandsOf(page).length > 0))('the commands of %s run', { timeout: 600_000 }, async (page) => {
  const { env } = await newProject();
  await writeFile(
    join(target.folder, 'mapping.json'),
    /```json\n([\s\S]*?)```/.exec(readFileSync(new URL('import.md', GUIDE), 'utf8'))?.[1] ?? '',
  );
  const source = { POSTHOG_HOST: target.url, POSTHOG_PERSONAL_API_KEY: target.service.personalKey };
  const before = process.cwd();
  // readers are where their files are
  process.chdir(target.folder);
  try {
    for (const command of commandsOf(page)) {
      const args = command.split(' ').slice(1);
      const project = args.indexOf('--project');
      if (project > 0) args[project + 1] = String(target.service.projectId);
      const done = await runCommand(args, { ...env, ...source });
      expect([command, done.code, done.errors]).toEqual([command, 0, expect.any(String)]);
    }
  } finally {
    process.chdir(before);
  }
});
