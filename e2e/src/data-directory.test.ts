import { spawn } from 'node:child_process';
import { chown, lchown, mkdir, mkdtemp, readdir, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { canMount, eventually, type Service, startService } from '@tidemark/testkit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const MAIN = fileURLToPath(new URL('../../packages/server/dist/bundle/tidemark.js', import.meta.url));
const NOBODY = 65_534;
const STRANGER = 4_242;
const asRoot = process.getuid?.() === 0;

let home: string;
let services: Service[];
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'tidemark-directory-'));
  services = [];
});
afterEach(async () => {
  for (const service of services) await service.close();
  await rm(home, { recursive: true, force: true });
});

async function start(dataDir: string): Promise<Service> {
  const service = await startService({ dataDir });
  services.push(service);
  return service;
}

/** Output of a start that fails. */
function refusal(dataDir: string, command: string, args: string[], user: { uid?: number; gid?: number } = {}): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { env: { PATH: process.env.PATH, TIDEMARK_DATA: dataDir, PORT: '0' }, ...user });
    let output = '';
    child.stderr?.on('data', (chunk) => {
      output += chunk;
    });
    child.on('close', (code) => resolve(`${code}: ${output.trim()}`));
  });
}

async function captured(service: Service, events: number): Promise<string[]> {
  const batch = Array.from({ length: events }, () => ({ event: 'kept', distinct_id: 'ann', uuid: crypto.randomUUID() }));
  const body = { api_key: service.account.projectKey, batch };
  expect((await service.call('POST', '/batch/', { key: null, body })).status).toBe(200);
  return batch.map(({ uuid }) => uuid);
}

async function give(directory: string, uid: number): Promise<void> {
  for (const entry of await readdir(directory, { recursive: true })) await lchown(join(directory, entry), uid, uid);
  await chown(directory, uid, uid);
}

test('a data directory that was moved after a kill -9 has every acknowledged event', async () => {
  const first = await start(join(home, 'here'));
  const uuids = await captured(first, 50);
  await first.kill9();
  // PostgreSQL ends by itself after its parent was killed
  await eventually(async () => expect(await readdir(join(home, 'here/postgres'))).not.toContain('postmaster.pid'));
  await mkdir(join(home, 'a new place'));
  await rename(join(home, 'here'), join(home, 'a new place/there'));
  // the stored account has other keys than the one generated for this start, so queries use the stored keys
  const second = await startService({
    dataDir: join(home, 'a new place/there'),
    env: { TIDEMARK_INIT_EMAIL: first.account.email, TIDEMARK_INIT_PASSWORD: first.account.password },
  });
  services.push(second);
  const query = { kind: 'HogQLQuery', query: 'select uuid from events' };
  const answer = await second.call('POST', '/api/projects/@current/query/', { key: first.account.personalKey, body: { query } });
  expect(answer.status).toBe(200);
  expect(JSON.stringify(answer.body)).toContain(uuids[0]);
  for (const uuid of uuids) expect(JSON.stringify(answer.body)).toContain(uuid);
});

test('a log of events that is cut off, empty or garbage is reported, and the service starts', async () => {
  const service = await start(join(home, 'data'));
  const reports = () => service.output().split('the event log holds bytes that cannot be read').length - 1;
  const wanted: string[] = [];
  const damages: [(path: string) => Promise<void>, reports: number][] = [
    [(path) => truncate(path, 10), 1],
    [(path) => truncate(path, 0), 0],
    [(path) => writeFile(path, 'garbage'), 1],
  ];
  for (const [damage, expected] of damages) {
    wanted.push(...(await captured(service, 5)));
    await eventually(async () => expect(await service.storedUuids()).toEqual(expect.arrayContaining(wanted)));
    await service.kill9();
    const logs = (await readdir(join(home, 'data/events-log'))).filter((name) => name.endsWith('.log'));
    expect(logs).not.toEqual([]);
    for (const name of logs) await damage(join(home, 'data/events-log', name));
    const before = reports();
    await service.restart();
    // the events had reached their tables
    expect(await service.storedUuids()).toEqual(expect.arrayContaining(wanted));
    expect(reports() - before).toBeGreaterThanOrEqual(expected);
  }
});

describe.runIf(asRoot)('a data directory of another user', () => {
  test('the refusal is one sentence with the name of the owner', async () => {
    const dataDir = join(home, 'data');
    await mkdir(dataDir);
    await give(dataDir, STRANGER);
    await chown(home, NOBODY, NOBODY);
    const message = await refusal(dataDir, process.execPath, [MAIN, 'serve'], { uid: NOBODY, gid: NOBODY });
    expect(message).toBe(
      `1: TIDEMARK_DATA cannot be written: ${dataDir} belongs to the user number ${STRANGER}, and this is the user number ${NOBODY}: start Tidemark as its owner, or give the whole directory to this user (chown -R).`,
    );
  });

  test('it is refused too if only a part of it has another owner, as after a copy by root', async () => {
    const dataDir = join(home, 'data');
    await mkdir(join(dataDir, 'events'), { recursive: true });
    await chown(dataDir, NOBODY, NOBODY);
    await chown(home, NOBODY, NOBODY);
    const message = await refusal(dataDir, process.execPath, [MAIN, 'serve'], { uid: NOBODY, gid: NOBODY });
    expect(message).toContain(`TIDEMARK_DATA cannot be written: ${dataDir}/events belongs to the user number 0`);
  });
});

describe.runIf(canMount())('a data directory that is read-only', () => {
  test.each([
    ['', 'is on a file system that is mounted read-only.'],
    ['/new/place', 'cannot be made (its file system is read-only).'],
  ])('the refusal is one sentence%s', async (below, sentence) => {
    const script = `mount -t tmpfs -o size=1m tmpfs ${home} && mount -o remount,ro ${home} && exec ${process.execPath} ${MAIN} serve`;
    const message = await refusal(`${home}${below}`, 'unshare', ['--mount', '/bin/sh', '-c', script]);
    expect(message).toBe(`1: TIDEMARK_DATA cannot be written: ${home}${below} ${sentence}`);
  });
});
