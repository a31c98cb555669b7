// `node scripts/keep-data.mjs CLONE`: keeps a data directory that the built release in CLONE makes, for the tests of upgrades. Every release
// gets one; a kept one is not made again.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, constants } from 'node:zlib';
import { root } from './run.mjs';

const [clone = ''] = process.argv.slice(2);
const { version } = JSON.parse(readFileSync(join(clone, 'packages/server/package.json'), 'utf8'));
const account = {
  email: 'kept@example.com',
  password: 'a long and kept passphrase',
  projectKey: `tmk_${'k'.repeat(43)}`,
  personalKey: `tms_${'s'.repeat(43)}`,
};
const EVENTS = 120;
const START = Date.UTC(2026, 10, 1, 12);
const port = 18_432;
const url = `http://127.0.0.1:${port}`;
const folder = mkdtempSync(join(tmpdir(), 'tidemark-kept-'));

const service = spawn(process.execPath, [join(clone, 'packages/server/dist/bundle/tidemark.js'), 'serve'], {
  stdio: 'inherit',
  env: {
    ...process.env,
    PORT: String(port),
    HOST: '127.0.0.1',
    TIDEMARK_DATA: join(folder, 'data'),
    TIDEMARK_LOG_LEVEL: 'warn',
    TIDEMARK_INIT_EMAIL: account.email,
    TIDEMARK_INIT_PASSWORD: account.password,
    TIDEMARK_INIT_PROJECT_KEY: account.projectKey,
    TIDEMARK_INIT_PERSONAL_KEY: account.personalKey,
  },
});
const ended = new Promise((resolve) => service.once('exit', resolve));
try {
  await ready();
  await fill();
} finally {
  service.kill('SIGTERM');
  await ended;
}
// of a stopped PostgreSQL the oldest file of the log is in use; the others are there to be written over
const log = join(folder, 'data/postgres/pg_wal');
const [, ...spare] = readdirSync(log)
  .filter((name) => /^[0-9A-F]{24}$/.test(name))
  .sort();
for (const name of spare) rmSync(join(log, name));
const file = join(root, `e2e/released-data/${version}.tar.br`);
writeFileSync(file, packed());
rmSync(folder, { recursive: true, force: true });
console.log(`${file}: ${Math.round(readFileSync(file).length / 1024)} KB`);

async function ready() {
  for (let i = 0; i < 600; i++) {
    if ((await fetch(`${url}/_ready`).catch(() => null))?.ok) return;
    await sleep(200);
  }
  throw new Error('The service did not get ready.');
}

/** @param {string} path @param {object} body */
async function post(path, body) {
  const answer = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${account.personalKey}` },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path} answers ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

/** What e2e/src/upgrade.test.ts looks for. */
async function fill() {
  const batch = Array.from({ length: EVENTS }, (_, i) => ({
    uuid: `00000000-0000-7000-8000-${String(i).padStart(12, '0')}`,
    event: i % 3 ? '$pageview' : 'signed up',
    distinct_id: `person ${i % 12}`,
    timestamp: new Date(START + i * 3_600_000).toISOString(),
    properties: { plan: i % 2 ? 'pro' : 'free', amount: i / 4, nested: { list: [i, 'ü'] }, $set: { name: `Person ${i % 12}` } },
  }));
  await post('/batch/', { api_key: account.projectKey, batch });
  const project = '/api/projects/@current';
  const { id: dashboard } = await post(`${project}/dashboards/`, {
    name: 'Kept dashboard',
    description: 'Of an earlier release',
  });
  const source = {
    kind: 'TrendsQuery',
    series: [{ kind: 'EventsNode', event: 'signed up' }],
    dateRange: { date_from: '2026-11-01', date_to: '2026-11-06' },
  };
  await post(`${project}/insights/`, {
    name: 'Kept insight',
    query: { kind: 'InsightVizNode', source },
    dashboards: [dashboard],
  });
  const groups = [{ properties: [], rollout_percentage: 100 }];
  await post(`${project}/feature_flags/`, {
    key: 'kept-flag',
    name: 'Kept',
    active: true,
    filters: { groups, payloads: { true: '{"a":1}' } },
  });
  const values = [{ key: 'name', value: 'Person 3', type: 'person', operator: 'exact' }];
  await post(`${project}/cohorts/`, {
    name: 'Kept cohort',
    filters: { properties: { type: 'OR', values: [{ type: 'AND', values }] } },
  });
  await post(`${project}/annotations/`, {
    content: 'Kept annotation',
    date_marker: new Date(START).toISOString(),
    scope: 'project',
  });
}

/** The directory in one file. The largest window finds what the databases of PostgreSQL have in common. */
function packed() {
  const { stdout, status } = spawnSync(
    'tar',
    ['-c', '--sort=name', '--mtime=@0', '--owner=0', '--group=0', '-C', folder, 'data'],
    { maxBuffer: 2 ** 31 - 1 },
  );
  if (status !== 0) throw new Error('tar failed.');
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_LGWIN, BROTLI_PARAM_LARGE_WINDOW, BROTLI_PARAM_SIZE_HINT } = constants;
  const params = {
    [BROTLI_PARAM_QUALITY]: 11,
    [BROTLI_PARAM_LARGE_WINDOW]: 1,
    [BROTLI_PARAM_LGWIN]: 28,
    [BROTLI_PARAM_SIZE_HINT]: stdout.length,
  };
  return brotliCompressSync(stdout, { params });
}
