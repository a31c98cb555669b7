import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openFolder } from '../adapters/blobs/index.js';
import { ConfigError, loadConfig } from '../config.js';
import { testDatabase } from '../testing/database.js';
import { noBlobs } from '../testing/no-blobs.js';
import { noEvents } from '../testing/no-events.js';
import { whileAlone } from './lock.js';
import { makeBackup } from './make-backup.js';
import { markFolder } from './manifest.js';

/*
 * Which folders take backups. Files in them that no backup needs are deleted, so they must not be those of somebody else.
 */

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'tidemark-folder-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const open = (path: string) => openFolder({ path }, { fsync: false, log: pino({ level: 'silent' }) });
const S3 = { TIDEMARK_S3_ENDPOINT: 'http://127.0.0.1:9', TIDEMARK_S3_ACCESS_KEY: 'a', TIDEMARK_S3_SECRET_KEY: 'b' };

test.each([
  ['/srv', 'TIDEMARK_DATA'],
  ['/srv/data', 'TIDEMARK_DATA'],
  ['/srv/data/', 'TIDEMARK_DATA'],
  ['/srv/data/blobs/backups', 'TIDEMARK_DATA'],
  ['/srv/other/../data', 'TIDEMARK_DATA'],
  ['/', 'TIDEMARK_DATA'],
  ['s3://bucket', 'TIDEMARK_BLOBS'],
  ['s3://bucket/files', 'TIDEMARK_BLOBS'],
  ['s3://bucket/files/backups', 'TIDEMARK_BLOBS'],
  ['/srv/data-backups', null],
  ['/backups', null],
  ['s3://bucket/files-backups', null],
  ['s3://another/files', null],
])('%s beside data in /srv/data and s3://bucket/files', (folder, setting) => {
  const env = { ...S3, TIDEMARK_DATA: '/srv/data', TIDEMARK_BLOBS: 's3://bucket/files', TIDEMARK_BACKUP: `${folder} daily` };
  if (setting === null) {
    expect(loadConfig(env).backup?.target).toBe(folder);
    return;
  }
  expect(() => loadConfig(env)).toThrow(
    new ConfigError(`The folder of backups ${folder} and that of ${setting} must not be in each other: name one of its own.`),
  );
});

test.each(['data/notes.txt', 'backups/of-another-program/1'])('a folder with %s is refused, and stays as it is', async (name) => {
  await mkdir(join(home, name, '..'), { recursive: true });
  await writeFile(join(home, name), 'mine');
  await expect(markFolder(await open(home))).rejects.toThrow(
    `The folder has files that are not of a backup (${name}): name an empty one.`,
  );
  expect((await readdir(home)).sort()).toEqual(['.incoming', name.split('/')[0]]);
});

test('what a backup that was broken off has left is no reason to refuse the next one', async () => {
  await writeFile(join(home, 'readme'), 'a file beside them');
  const folder = await open(home);
  await markFolder(folder);
  await folder.put('data/events/2026-05-01/1', Buffer.from('half a backup'));
  await markFolder(await open(home));
});

test('a second backup of one installation is refused, and half-written files of the first one stay', async () => {
  const { db, close } = await testDatabase();
  const half = join(home, '.incoming', '1');
  await whileAlone(db, async () => {
    await open(home);
    await writeFile(half, 'half a file');
    const stores = { db, events: noEvents, blobs: noBlobs };
    const second = makeBackup(stores, () => open(home), { clock: { now: () => 0 }, version: 'test', keep: null });
    await expect(second).rejects.toThrow('Another backup, restore or move is running: wait until it has ended.');
  });
  expect(await readFile(half, 'utf8')).toBe('half a file');
  await close();
});

test.each([
  ['a file', 'file', 'ENOTDIR'],
  // recursive mkdir of Node.js never ends there
  ['a place where the system takes no folders', '/proc/no-such-folder', 'ENOENT'],
])('%s is named in the error', async (_name, path, code) => {
  await writeFile(join(home, 'file'), '');
  const folder = path.startsWith('/') ? path : join(home, path);
  await expect(open(folder)).rejects.toThrow(
    `The folder ${folder} cannot be written (${code}): name one that the user of the service may write.`,
  );
});
