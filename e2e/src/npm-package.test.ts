import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Api, apiOf, eventually, freePort, listProcesses } from '@tidemark/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveAsUnit } from './testing/unit-command.js';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Packages that `npm ci` has fetched are taken from npm's cache. Install scripts of dependencies do not run. */
const INSTALL = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
const PROJECT_KEY = 'tmk_key-of-the-packed-service';
const PERSONAL_KEY = 'tms_personal-key-of-the-packed-service-0000';

/** Whether npx and the service in it run. */
const isRunning = () => service?.exitCode === null && service.signalCode === null;

let home: string;
let release: string;
let service: ChildProcess;
let output = '';
let url: string;
let api: Api;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'tidemark-npm-package-'));
  release = join(home, 'release');
  await run(process.execPath, [join(ROOT, 'scripts/release.mjs'), '--draft', '--built', '--out', release], { cwd: ROOT });
  // with the lock file of the release, npm asks no registry for versions
  const folder = join(home, 'service');
  await mkdir(folder);
  const tarball = (await readdir(release)).find((name) => /^tidemark-\d.*\.tgz$/.test(name)) ?? '';
  for (const name of ['package.json', 'package-lock.json', tarball]) await copyFile(join(release, name), join(folder, name));
  await run('npm', ['ci', ...INSTALL], { cwd: folder });

  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  service = spawn('npx', ['tidemark'], {
    cwd: folder,
    env: {
      ...process.env,
      ...{
        PORT: String(port),
        TIDEMARK_FSYNC: 'off',
        TIDEMARK_INIT_EMAIL: 'a@example.com',
        TIDEMARK_INIT_PASSWORD: 'a passphrase 4711',
      },
      ...{ TIDEMARK_INIT_PROJECT_KEY: PROJECT_KEY, TIDEMARK_INIT_PERSONAL_KEY: PERSONAL_KEY },
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    // a group of its own, as a shell gives a command
    detached: true,
  });
  for (const stream of [service.stdout, service.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk;
    });
  }
  api = apiOf(url, PERSONAL_KEY);
  await eventually(
    async () => {
      if (!isRunning()) throw new Error(`It ended with code ${service.exitCode}:\n${output}`);
      expect((await fetch(`${url}/_ready`)).status).toBe(200);
    },
    { within: 180_000, every: 100 },
  );
});
afterAll(async () => {
  if (isRunning() && service.pid) process.kill(-service.pid, 'SIGKILL');
  await rm(home, { recursive: true, force: true });
});

test('the files of a release have the checksums of SHA256SUMS, and there are no others', async () => {
  const { stdout } = await run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: release });
  const checked = stdout
    .trim()
    .split('\n')
    .map((line) => line.replace(/: OK$/, ''));
  expect([...checked, 'SHA256SUMS'].sort()).toEqual((await readdir(release)).sort());
  expect(checked.filter((name) => name.endsWith('.tgz'))).toHaveLength(8);
});

test('the bill of materials names each installed library', async () => {
  const [file = ''] = (await readdir(release)).filter((name) => name.endsWith('.cdx.json'));
  const { components } = JSON.parse(await readFile(join(release, file), 'utf8'));
  const named = new Set(components.map(({ purl }: { purl: string }) => purl));
  const lock = JSON.parse(await readFile(join(home, 'service/node_modules/.package-lock.json'), 'utf8'));
  const installed = Object.entries<{ version: string }>(lock.packages).map(([path, { version }]) => {
    return `pkg:npm/${path.split('node_modules/').at(-1)?.replace('@', '%40')}@${version}`;
  });
  expect(installed.length).toBeGreaterThan(80);
  expect(installed.filter((purl) => !named.has(purl) && !purl.startsWith('pkg:npm/tidemark@'))).toEqual([]);
});

test('it takes less than 0.9 GB', async () => {
  const { stdout } = await run('du', ['-sk', join(home, 'service/node_modules')]);
  expect(Number.parseInt(stdout, 10)).toBeLessThan(900_000);
});

test('npx runs the service with the flags of Node.js that its speed depends on', async () => {
  const processes = await listProcesses();
  const [found, ...others] = processes.filter(
    ({ command }) => command.includes(join(home, 'service')) && command.includes('semi-space'),
  );
  expect(found?.command).toMatch(/^node --max-semi-space-size=64 --no-allocation-site-pretenuring /);
  expect(others).toEqual([]);
});

test('it serves the app, the browser library, queries and pictures', async () => {
  const page = await fetch(url, { headers: { accept: 'text/html' } });
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<div id="root"')]);
  expect((await fetch(`${url}/static/tidemark.js`)).status).toBe(200);
  const name = `packed ${crypto.randomUUID()}`;
  const event = { event: name, distinct_id: 'ada', uuid: crypto.randomUUID(), timestamp: new Date().toISOString() };
  const sent = await api.call('POST', '/batch/', { key: null, body: { api_key: PROJECT_KEY, batch: [event] } });
  expect(sent.status).toBe(200);
  const trends = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: name }] };
  const answer = await api.post('/api/projects/@current/query/', { query: trends });
  expect(answer.body).toMatchObject({ results: [{ count: 1 }] });
  const made = await api.post('/api/projects/@current/exports/', {
    export_format: 'image/png',
    export_context: { source: trends },
  });
  expect(made).toMatchObject({ status: 201, body: { id: expect.any(Number) } });
  const { id } = made.body as { id: number };
  const picture = await eventually(
    async () => {
      const headers = { authorization: `Bearer ${PERSONAL_KEY}` };
      const answer = await fetch(`${url}/api/projects/@current/exports/${id}/content/`, { headers });
      expect(answer.status).toBe(200);
      return Buffer.from(await answer.arrayBuffer());
    },
    { within: 120_000, every: 200 },
  );
  expect(picture.subarray(1, 4).toString()).toBe('PNG');
});

test('an empty project installs the client libraries from the service as from a registry, and they work', async () => {
  const folder = join(home, 'app');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
  await writeFile(join(folder, 'package.json'), '{ "type": "module", "private": true }');
  await writeFile(join(folder, '.npmrc'), `@tidemark:registry=${url}/static/packages/\ncache=${join(home, 'empty-cache')}\n`);
  await run('npm', ['install', '@tidemark/node', ...INSTALL], { cwd: folder });
  const names = await readdir(join(folder, 'node_modules/@tidemark'));
  expect(names.sort()).toEqual(['client', 'flags', 'node', 'wire']);
  const { version } = JSON.parse(await readFile(join(ROOT, 'packages/server/package.json'), 'utf8'));
  expect(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')).dependencies).toEqual({
    '@tidemark/node': `^${version}`,
  });
  const event = `from a project ${crypto.randomUUID()}`;
  const code = `import { init } from '@tidemark/node';
    const tidemark = init('${PROJECT_KEY}', { host: '${url}' });
    tidemark.capture({ distinctId: 'ada', event: '${event}' });
    await tidemark.shutdown();`;
  await writeFile(join(folder, 'send.js'), code);
  await run(process.execPath, ['send.js'], { cwd: folder });
  const sql = { kind: 'HogQLQuery', query: `select count() from events where event = '${event}'` };
  expect((await api.post('/api/projects/@current/query/', { query: sql })).body).toMatchObject({ results: [[1]] });
  // types are in the packages, too
  await readFile(join(folder, 'node_modules/@tidemark/node/dist/index.d.ts'));
});

test('it stops in order on Ctrl+C, which reaches npx and the service', async () => {
  if (isRunning()) {
    const closed = once(service, 'close');
    process.kill(-(service.pid ?? 0), 'SIGINT');
    await closed;
  }
  expect(output).toMatch(/Tidemark has stopped/);
  expect((await listProcesses()).filter(({ command }) => command.includes(home))).toEqual([]);
});

// `npm run bench -- global-install` does the same after `npm install --global`
test('the command that the systemd unit runs serves the data again, and a stop by systemd succeeds', async () => {
  await serveAsUnit(join(home, 'service/node_modules/.bin'), join(home, 'service/data'));
});
