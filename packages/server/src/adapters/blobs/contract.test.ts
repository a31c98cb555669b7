import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blobsContract } from '../../testing/blobs-contract.js';
import { type S3Server, startS3Server } from '../../testing/s3-server.js';
import { openFileBlobs } from './file-blobs.js';
import { openS3Blobs } from './s3-blobs.js';

const log = pino({ level: 'silent' });
let home: string;
let server: S3Server;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'tidemark-blobs-'));
  server = await startS3Server();
});
afterAll(async () => {
  await server.close();
  await rm(home, { recursive: true, force: true });
});

blobsContract('files', () => openFileBlobs(join(home, 'synced'), { fsync: true }));
blobsContract('files that do not wait for the disk', () => openFileBlobs(join(home, 'unsynced'), { fsync: false }), {
  isAlike: true,
});
blobsContract('a bucket', async () => openS3Blobs({ ...server.settings, prefix: '' }, log));
blobsContract('a folder of a bucket', async () => openS3Blobs({ ...server.settings, prefix: 'some/where/' }, log), {
  isAlike: true,
});

describe('files', () => {
  test('partially written ones are deleted at the start after a crash', async () => {
    const root = join(home, 'crashed');
    await openFileBlobs(root, { fsync: false });
    await writeFile(join(root, '.incoming/1'), 'half');
    const blobs = await openFileBlobs(root, { fsync: false });
    expect(await readdir(join(root, '.incoming'))).toEqual([]);
    await blobs.put('a', Buffer.from('whole'));
    expect(await readdir(root)).toEqual(['.incoming', 'a']);
  });
});
