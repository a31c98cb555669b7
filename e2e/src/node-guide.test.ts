import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Service, startService } from '@tidemark/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';

/* Runs the scripts and commands of docs/guide/node.md as readers would; the JSON below a script is what it prints. */
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

let service: Service;
let folder: string;
beforeAll(async () => {
  service = await startService();
  folder = await mkdtemp(join(tmpdir(), 'tidemark-node-guide-'));
  await putCommand();
  const variants = ['plain', 'loud'].map((key, i) => ({ key, rollout_percentage: i * 100 }));
  for (const [key, more] of [
    ['new-checkout', {}],
    ['button', { multivariate: { variants }, payloads: { loud: '{"color":"red"}' } }],
  ] as const) {
    const filters = { groups: [{ properties: [], rollout_percentage: 100 }], ...more };
    const { status } = await service.post('/api/projects/@current/feature_flags/', { key, name: key, filters });
    expect(status).toBe(201);
  }
});
/** The command's path in the package, as an install of it links it: npm links a command only when it exists before the build. */
async function putCommand(): Promise<void> {
  const command = join(ROOT, 'packages/node/dist/commands/flags-types.js');
  await mkdir(join(folder, 'node_modules/.bin'), { recursive: true });
  const script = `#!/bin/sh\nexec '${process.execPath}' '${command}' "$@"\n`;
  await writeFile(join(folder, 'node_modules/.bin/tidemark-flags-types'), script, { mode: 0o755 });
}

afterAll(async () => {
  await service?.close();
  await rm(folder, { recursive: true, force: true });
});

test('the examples in docs/guide/node.md run and print the documented output', async () => {
  const page = await readFile(join(ROOT, 'docs/guide/node.md'), 'utf8');
  const env = {
    PATH: process.env['PATH'],
    HOST: service.url,
    PROJECT_KEY: service.account.projectKey,
    KEY: service.account.personalKey,
    PROJECT: '@current',
  };
  const blocks = [...page.matchAll(/^```(js|sh)\n([\s\S]*?)^```(?:\n\n```json\n([\s\S]*?)^```)?/gm)];
  expect(blocks.length).toBeGreaterThan(7);
  for (const [, language, code = '', expected] of blocks) {
    const [program, args, cwd] =
      language === 'js' ? [process.execPath, ['--input-type=module', '-e', code], ROOT] : ['bash', ['-euc', code], folder];
    const { stdout } = await promisify(execFile)(program, args, { env, cwd });
    if (expected !== undefined) expect(JSON.parse(stdout), code).toMatchObject(JSON.parse(expected));
  }
  expect(await readFile(join(folder, 'tidemark-flags.d.ts'), 'utf8')).toContain('button: { value: false | "plain" | "loud"');
});

test.each(['node', 'client', 'flags'])(
  'the examples in the README of @tidemark/%s run and print the documented output',
  async (name) => {
    const readme = await readFile(join(ROOT, 'packages', name, 'README.md'), 'utf8');
    const [, code = '', expected = ''] = /^```js\n(.*?)^```\n\n```json\n(.*?)^```/ms.exec(readme) ?? [];
    const script = code
      .replaceAll('tmk_your_project_key', service.account.projectKey)
      .replaceAll('https://analytics.example.com', service.url);
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { cwd: ROOT });
    expect(JSON.parse(stdout)).toMatchObject(JSON.parse(expected));
  },
);
