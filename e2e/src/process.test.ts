import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { eventually, type Service, startService } from '@tidemark/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const MAIN = fileURLToPath(new URL('../../packages/server/dist/bundle/tidemark.js', import.meta.url));

/** Runs the service's command until it exits. */
function run(env: Record<string, string>, args = ['serve']): Promise<{ code: number | null; out: string; err: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [MAIN, ...args], { env: { PATH: process.env.PATH, ...env } });
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      err += chunk;
    });
    child.on('close', (code) => resolve({ code, out, err }));
  });
}

let service: Service;
beforeAll(async () => {
  service = await startService({ env: { TIDEMARK_LOG_LEVEL: 'info' } });
});
afterAll(() => service?.close());

const capture = (event: Record<string, unknown>) =>
  service.call('POST', '/capture/', { key: null, body: { api_key: service.account.projectKey, ...event } });

describe('a start that fails prints one sentence with the reason and exits with code 1', () => {
  test.each<[string, Record<string, string>, RegExp]>([
    ['a port that is no number', { PORT: 'http' }, /^PORT must be a whole number from 0 to 65535, not "http"\.$/],
    ['another database', { DATABASE_URL: 'mysql://root:secret@db/x' }, /^DATABASE_URL must be a URL starting with postgres/],
    ['a data directory below a file', { TIDEMARK_DATA: `${MAIN}/data` }, /^TIDEMARK_DATA cannot be written: .*\.$/],
  ])('%s', async (_name, env, sentence) => {
    const { code, err } = await run(env);
    expect(err.trim()).toMatch(sentence);
    expect(err).not.toContain('secret');
    expect(code).toBe(1);
  });

  test('a data directory that another process uses', async () => {
    const { code, err } = await run({ TIDEMARK_DATA: service.dataDir, PORT: '0' });
    expect(err.trim()).toMatch(/^Another Tidemark is running on .*: stop it first, or set TIDEMARK_DATA to another directory\.$/);
    expect(code).toBe(1);
    expect((await service.get('/_ready')).status).toBe(200);
  });

  test('a port that another process uses', async () => {
    const server = createServer();
    const port = await new Promise<number>((resolve) => {
      server.listen(0, '127.0.0.1', () => {
        const address = server.address();
        resolve(typeof address === 'object' && address ? address.port : 0);
      });
    });
    const dataDir = `${service.dataDir}-other`;
    const { code, err } = await run({ TIDEMARK_DATA: dataDir, PORT: String(port) });
    server.close();
    expect(err.trim()).toBe(`PORT ${port} is in use by another program: choose another PORT.`);
    expect(code).toBe(1);
    // detected before anything is created
    expect(await readdir(dataDir)).toEqual([]);
  });
});

test('the command prints its version and its usage', async () => {
  expect((await run({}, ['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect(await run({}, ['nonsense'])).toMatchObject({ code: 2, err: expect.stringContaining("unknown command 'nonsense'") });
});

/** The lines of a log. @throws SyntaxError when one is not JSON */
const linesOf = (output: string): Record<string, unknown>[] =>
  output
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

test('a pipe gets JSON lines alone; without an account one has commands that create it, and a key that opens the API', async () => {
  const fresh = await startService({
    env: { TIDEMARK_INIT_EMAIL: '', TIDEMARK_INIT_PASSWORD: '', TIDEMARK_LOG_LEVEL: 'info' },
  });
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-commands-'));
  try {
    const commands = await eventually(async () => {
      const lines = linesOf(fresh.output());
      expect(lines).toContainEqual(expect.objectContaining({ msg: 'Tidemark is ready', url: fresh.url, data: fresh.dataDir }));
      const found = lines.flatMap((line) => (line['commands'] as string[] | undefined) ?? []);
      expect(found).toHaveLength(3);
      return found.join('\n').replace('<a long password>', 'a long and strong passphrase 42');
    });
    const { stdout } = await promisify(execFile)('sh', ['-e', '-c', commands], { cwd: folder });
    const [key] = /tms_[\w-]{43}/.exec(stdout) ?? [];
    const answer = await fresh.call('GET', '/api/projects/@current/', { key: key ?? null });
    expect(answer.status).toBe(200);
    expect(stdout).toMatch(/"api_token":"tmk_[\w-]{43}"/);
    await fresh.stop();
    expect(linesOf(fresh.output()).at(-1)).toMatchObject({ msg: 'Tidemark has stopped' });
  } finally {
    await fresh.close();
    await rm(folder, { recursive: true });
  }
});

test('SIGTERM under load stores acknowledged events, exits with code 0 and leaves no process; the next start has the data', async () => {
  const acknowledged: string[] = [];
  let stopping = false;
  const client = async () => {
    while (!stopping) {
      const uuid = crypto.randomUUID();
      const answer = await capture({ event: 'before the stop', distinct_id: 'ada', uuid }).catch(() => null);
      if (answer?.status === 200) acknowledged.push(uuid);
      if (!answer) break;
    }
  };
  const clients = Array.from({ length: 8 }, client);
  await eventually(async () => expect(acknowledged.length).toBeGreaterThan(100));
  await service.stop();
  stopping = true;
  await Promise.all(clients);

  await service.restart();
  const stored = await service.storedUuids();
  expect(new Set(stored).size).toBe(stored.length);
  expect(new Set(stored)).toEqual(new Set([...stored, ...acknowledged]));
});

function isRunning({ pid }: { pid: number }): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('SIGHUP, as from a terminal that is closed, shuts down cleanly too', async () => {
  const { service: pid, all } = await service.processes();
  process.kill(pid, 'SIGHUP');
  await eventually(async () => expect(all.filter(isRunning)).toEqual([]), { within: 60_000 });
  await service.restart();
  expect(service.output()).not.toContain('left behind');
});

test('a start on an existing data directory creates no second account', async () => {
  const { body } = await service.get('/api/organizations/');
  expect(body).toMatchObject({ count: 1 });
});

test('the log has one line for each request, without keys, cookies and bodies', async () => {
  const password = service.account.password;
  await capture({ event: 'secret-event', distinct_id: 'secret-person', properties: { secret: 'secret-value' } });
  await service.get(`/api/users/@me/?personal_api_key=${service.account.personalKey}`);
  const login = await service.call('POST', '/api/login/', { key: null, body: { email: service.account.email, password } });
  const cookie = login.headers.get('set-cookie')?.split(';')[0]?.split('=')[1] ?? '';
  expect(cookie.length).toBeGreaterThan(20);
  await service.call('GET', '/api/users/@me/', { key: null, headers: { cookie: `tidemark_session=${cookie}` } });
  await eventually(async () => expect(service.output().split('"route":"/api/users/:')).toHaveLength(3));

  const output = service.output();
  expect(output).toMatch(/"method":"POST","route":"\/capture","status":200/);
  const secrets = [
    'secret-event',
    'secret-person',
    'secret-value',
    service.account.personalKey,
    service.account.projectKey,
    password,
    cookie,
  ];
  expect(secrets.filter((secret) => output.includes(secret))).toEqual([]);
});
