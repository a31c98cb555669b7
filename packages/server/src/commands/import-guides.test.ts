import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { zipSync } from 'fflate';
import pg from 'pg';
import { expect, test } from 'vitest';
import { systemIds } from '../adapters/system/index.js';
import { testDatabase } from '../testing/database.js';
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

/** Umami's tables, as its migrations make them. */
const UMAMI = `
  create table session (session_id uuid primary key, website_id uuid not null, browser varchar(20), os varchar(20), device varchar(20),
    screen varchar(11), language varchar(35), country char(2), region varchar(20), city varchar(50), distinct_id varchar(50),
    created_at timestamptz default now());
  create table website_event (event_id uuid primary key, website_id uuid not null, session_id uuid not null, visit_id uuid not null,
    created_at timestamptz default now(), url_path varchar(500) not null, url_query varchar(500), utm_source varchar(255),
    referrer_path varchar(500), referrer_query varchar(500), referrer_domain varchar(500), page_title varchar(500),
    event_type integer not null default 1, event_name varchar(50), tag varchar(50), hostname varchar(100));
  create table event_data (event_data_id uuid primary key, website_id uuid not null, website_event_id uuid not null,
    data_key varchar(500) not null, string_value varchar(500), number_value decimal(19, 4), date_value timestamptz,
    data_type integer not null, created_at timestamptz default now());
  insert into session values ('0197a3c1-0000-4000-8000-000000000001', '0197a3c1-0000-4000-8000-0000000000ff', 'chrome', 'Linux', 'desktop',
    '1920x1080', 'de-DE', 'DE', 'DE-NW', 'Bonn', null, '2024-05-01 09:00:00+00');
  insert into website_event (event_id, website_id, session_id, visit_id, created_at, url_path, event_type, event_name, hostname) values
    ('0197a3c1-0000-4000-8000-00000000000a', '0197a3c1-0000-4000-8000-0000000000ff', '0197a3c1-0000-4000-8000-000000000001',
      '0197a3c1-0000-4000-8000-0000000000aa', '2024-05-01 10:11:12.345678+00', '/docs, "all"', 1, null, 'example.com'),
    ('0197a3c1-0000-4000-8000-00000000000b', '0197a3c1-0000-4000-8000-0000000000ff', '0197a3c1-0000-4000-8000-000000000001',
      '0197a3c1-0000-4000-8000-0000000000aa', '2024-05-01 10:12:12+00', '/docs', 2, 'download', 'example.com');
  insert into event_data values (gen_random_uuid(), '0197a3c1-0000-4000-8000-0000000000ff', '0197a3c1-0000-4000-8000-00000000000b',
    'pages', '12.5000', 12.5, null, 2, now());`;

const hasPsql = spawnSync('psql', ['--version']).status === 0;
if (!hasPsql) console.warn('Not every line for Umami is tested: psql is not installed (apt-get install postgresql-client).');

test.each(['psql', 'the server'])('the lines for the PostgreSQL of Umami export what can be imported, by %s', async (by) => {
  const lines = [...readFileSync(new URL('from-umami.md', GUIDE), 'utf8').matchAll(/`(\\copy [^`]+)`/g)].map(
    ([, line = '']) => line,
  );
  expect(lines).toHaveLength(2);
  if (by === 'psql' && !hasPsql) return;
  const { env, events } = await newProject();
  // the server may run as another user, who has to reach it
  const own = join(await mkdtemp(join(tmpdir(), 'tidemark-umami-')), 'umami-export');
  await mkdir(own);
  await Promise.all([chmod(own, 0o777), chmod(dirname(own), 0o777)]);
  const database = await testDatabase();
  const url = new URL(database.url);
  // beside Tidemark's tables
  url.searchParams.set('options', '-csearch_path=umami');
  const client = new pg.Client(url.href);
  await client.connect();
  try {
    await client.query(`create schema umami; ${UMAMI}`);
    for (const line of lines) {
      if (by === 'psql') await promisify(execFile)('psql', [url.href, '--set=ON_ERROR_STOP=1', '--command', line], { cwd: own });
      else await client.query(line.replace(/^\\/, '').replace(/ to (\w+\.csv) /, ` to '${own}/$1' `));
    }
    await importInto(env, 'umami', own);
  } finally {
    await client.end();
    await database.close();
    await rm(dirname(own), { recursive: true, force: true });
  }
  expect(await events()).toMatchObject([
    {
      event: '$pageview',
      distinct_id: '0197a3c1-0000-4000-8000-000000000001',
      // that of the event, not that of its session
      timestamp: '2024-05-01T10:11:12.345Z',
      properties: { $current_url: 'https://example.com/docs, "all"', $os: 'Linux', $geoip_subdivision_1_code: 'DE-NW' },
    },
    { event: 'download', timestamp: '2024-05-01T10:12:12.000Z', properties: { pages: 12.5 } },
  ]);
});

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
