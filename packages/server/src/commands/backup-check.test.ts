import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventMaker, type Service, startService } from '@tidemark/testkit';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openFolder } from '../adapters/blobs/index.js';
import { loadConfig, parseBackupPlace } from '../config.js';
import { runCommand } from '../testing/run-command.js';
import { type S3Server, startS3Server } from '../testing/s3-server.js';

/*
 * Backups of a service with embedded stores, which are damaged file by file. Two backups share what has not changed between them.
 */

let home: string;
let folder: string;
let service: Service;
let s3: S3Server;
let env: Record<string, string>;
/** Names of the two backups of the folder. */
let names: string[];
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'tidemark-check-'));
  folder = join(home, 'backups');
  [service, s3] = await Promise.all([startService(), startS3Server()]);
  env = { TIDEMARK_DATA: service.dataDir };
  const make = eventMaker(1);
  const batch = Array.from({ length: 40 }, (_, i) => make({ timestamp: new Date(Date.now() - i * 86_400_000).toISOString() }));
  expect((await service.post('/batch/', { api_key: service.account.projectKey, batch })).status).toBe(200);
  for (let i = 0; i < 2; i++) expect(await runCommand(['backup', folder], env)).toMatchObject({ code: 0, errors: '' });
  names = (await readdir(join(folder, 'backups'))).sort();
});
afterAll(async () => {
  await Promise.all([service?.close(), s3?.close()]);
  await rm(home, { recursive: true, force: true });
});

const check = (...args: string[]) => runCommand(['backup:check', folder, ...args]);

/** Flips a bit in the middle of a file of the folder. */
async function flip(path: string): Promise<void> {
  const bytes = await readFile(join(folder, path));
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
  await writeFile(join(folder, path), bytes);
}

/** Changes a file, runs the function, and restores the content of the file. */
async function whileChanged(path: string, change: () => Promise<unknown>, run: () => Promise<void>): Promise<void> {
  const bytes = await readFile(join(folder, path));
  await change();
  await run();
  await writeFile(join(folder, path), bytes);
}

/** Keys of the events of two days, which both backups share. */
async function sharedFiles(): Promise<[string, string]> {
  const keys: string[] = [];
  for (const day of (await readdir(join(folder, 'data/events'))).sort().slice(0, 2)) {
    const [file = ''] = await readdir(join(folder, 'data/events', day));
    keys.push(`data/events/${day}/${file}`);
  }
  const [first = '', second = ''] = keys;
  return [first, second];
}

test('whole backups are reported as such, the newest one or all, and shared files are read once', async () => {
  const [older = '', newest = ''] = names;
  const one = /^The backup (\S+) is whole: (\d+) files with \d+\.\d MB agree with their checksums\.\n$/;
  const newestRun = await check();
  expect(newestRun).toMatchObject({ code: 0, errors: '', output: expect.stringMatching(one) });
  expect(one.exec(newestRun.output)?.[1]).toBe(newest);
  expect(one.exec((await check('--at', older)).output)?.[1]).toBe(older);
  const files = Number(one.exec(newestRun.output)?.[2]);
  const all = await check('--all');
  expect(all).toMatchObject({ code: 0, errors: '' });
  const read = Number(/^The 2 backups are whole: (\d+) files/.exec(all.output)?.[1]);
  expect(read).toBeGreaterThan(files);
  expect(read).toBeLessThan(2 * files);
});

test('a rotten, a truncated and a missing file are named with their backups; the other backup is whole', async () => {
  const [older = '', newest = ''] = names;
  const [rotten, gone] = await sharedFiles();
  const users = `backups/${newest}/postgres/users.jsonl.gz`;
  const { length } = await readFile(join(folder, users));
  const both = `Backups: ${older}, ${newest}`;
  await whileChanged(
    rotten,
    () => flip(rotten),
    () =>
      whileChanged(
        gone,
        () => rm(join(folder, gone)),
        () =>
          whileChanged(
            users,
            () => writeFile(join(folder, users), 'short'),
            async () => {
              const found = await check();
              expect(found).toMatchObject({ code: 1, errors: `The backup ${newest} cannot be restored whole: 3 faults.\n` });
              const faults = [
                `${users} has 5 bytes instead of ${length}. Backups: ${newest}`,
                `${rotten} does not agree with its checksum. ${both}`,
                `${gone} is missing. ${both}`,
              ];
              expect(found.output.trim().split('\n')).toEqual(faults.sort());
            },
          ),
      ),
  );
  await whileChanged(
    users,
    () => flip(users),
    async () => {
      expect(await check()).toMatchObject({ code: 1, errors: `The backup ${newest} cannot be restored whole: one fault.\n` });
      expect(await check('--at', older)).toMatchObject({ code: 0, errors: '' });
      expect(await check('--all')).toMatchObject({ code: 1, errors: 'The 2 backups cannot be restored whole: one fault.\n' });
    },
  );
  expect(await check('--all')).toMatchObject({ code: 0, errors: '' });
});

test('a damaged manifest is a fault, and the other backups are checked nevertheless', async () => {
  const [older = '', newest = ''] = names;
  const manifest = `backups/${newest}/manifest.json`;
  const users = `backups/${older}/postgres/users.jsonl.gz`;
  await whileChanged(
    manifest,
    () => writeFile(join(folder, manifest), '{}'),
    () =>
      whileChanged(
        users,
        () => rm(join(folder, users)),
        async () => {
          expect((await check('--all')).output.trim().split('\n')).toEqual([
            `The backup ${newest} is damaged: its manifest does not agree with its checksum.`,
            `${users} is missing. Backups: ${older}`,
          ]);
        },
      ),
  );
});

test('a rotten file that is deleted is written again by the next backup', async () => {
  const [rotten] = await sharedFiles();
  await flip(rotten);
  expect(await check()).toMatchObject({ code: 1, output: expect.stringContaining(rotten) });
  await rm(join(folder, rotten));
  expect(await runCommand(['backup', folder], env)).toMatchObject({ code: 0, errors: '' });
  expect(await check()).toMatchObject({ code: 0, errors: '' });
});

test('a folder without backups, a name of none and both options are refused', async () => {
  expect(await runCommand(['backup:check', join(home, 'none')])).toMatchObject({
    code: 1,
    errors: `There is no whole backup in ${join(home, 'none')}.\n`,
  });
  expect(await check('--at', 'yesterday')).toMatchObject({
    code: 1,
    errors: `There is no whole backup yesterday in ${folder}.\n`,
  });
  const both = await check('--at', names[0] ?? '', '--all');
  expect(both).toMatchObject({ code: 2, errors: expect.stringContaining('--at and --all exclude each other') });
});

test('backups in a bucket are checked as those in a folder', async () => {
  const bucket = {
    TIDEMARK_S3_ENDPOINT: s3.settings.endpoint ?? '',
    TIDEMARK_S3_ACCESS_KEY: 'S3RVER',
    TIDEMARK_S3_SECRET_KEY: 'S3RVER',
  };
  const target = 's3://tidemark/backups';
  await service.stop();
  expect(await runCommand(['backup', target], { ...env, ...bucket })).toMatchObject({ code: 0, errors: '' });
  const checked = () => runCommand(['backup:check', target], bucket);
  expect(await checked()).toMatchObject({ code: 0, errors: '', output: expect.stringContaining('is whole') });
  const place = parseBackupPlace(loadConfig({ ...bucket, TIDEMARK_BACKUP: `${target} daily` }), target);
  const blobs = await openFolder(place, { fsync: false, log: pino({ level: 'silent' }) });
  const keys: string[] = [];
  for await (const { key } of blobs.list('data/events/')) keys.push(key);
  const [gone = '', rotten = ''] = keys;
  await blobs.delete(gone);
  await blobs.put(rotten, Buffer.alloc((await blobs.size(rotten)) ?? 0));
  await blobs.close();
  const { code, output } = await checked();
  expect([code, output.trim().split('\n')]).toEqual([
    1,
    [expect.stringContaining(`${gone} is missing`), expect.stringContaining(`${rotten} does not agree`)],
  ]);
});
