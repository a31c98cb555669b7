import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Logger, pino } from 'pino';
import { expect, test } from 'vitest';
import { loadConfig } from '../../config.js';
import { startS3Server } from '../../testing/s3-server.js';
import { openBlobs } from './index.js';

const silent = pino({ level: 'silent' });
const keys = { TIDEMARK_S3_ACCESS_KEY: 'S3RVER', TIDEMARK_S3_SECRET_KEY: 'S3RVER' };

test('blobs are files in the data directory', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tidemark-open-'));
  const blobs = await openBlobs(loadConfig({ TIDEMARK_DATA: dataDir }), silent);
  await blobs.put('exports/1', Buffer.from('content'));
  expect((await stat(join(dataDir, 'blobs/exports/1'))).size).toBe(7);
  await rm(dataDir, { recursive: true });
});

test('blobs are in the bucket of the settings, under its prefix', async () => {
  const server = await startS3Server();
  const env = { ...keys, TIDEMARK_S3_ENDPOINT: server.settings.endpoint ?? '' };
  const inner = await openBlobs(loadConfig({ ...env, TIDEMARK_BLOBS: 's3://tidemark/of/ours/' }), silent);
  const outer = await openBlobs(loadConfig({ ...env, TIDEMARK_BLOBS: 's3://tidemark' }), silent);
  await inner.put('exports/1', Buffer.from('content'));
  expect([await inner.size('exports/1'), await outer.size('of/ours/exports/1')]).toEqual([7, 7]);
  await server.close();
});

test('a missing bucket and wrong keys are named in the error; a server that does not respond is only logged, because it may respond later', async () => {
  const server = await startS3Server();
  const env = { ...keys, TIDEMARK_BLOBS: 's3://tidemark', TIDEMARK_S3_ENDPOINT: server.settings.endpoint ?? '' };
  const open = (other: Record<string, string>, log: Logger = silent) => openBlobs(loadConfig({ ...env, ...other }), log);
  await expect(open({ TIDEMARK_BLOBS: 's3://another' })).rejects.toThrow(
    'TIDEMARK_BLOBS: the bucket another cannot be used (NoSuchBucket).',
  );
  await expect(open({ TIDEMARK_S3_ACCESS_KEY: 'wrong' })).rejects.toThrow(
    'TIDEMARK_BLOBS: the bucket tidemark cannot be used (InvalidAccessKeyId).',
  );
  await server.close();
  const lines: string[] = [];
  const blobs = await open({}, pino({}, { write: (line) => lines.push(line) }));
  expect(lines).toEqual([
    expect.stringMatching(/"bucket":"tidemark".*ECONNREFUSED.*"the bucket of TIDEMARK_BLOBS does not answer"/),
  ]);
  await expect(blobs.size('exports/1')).rejects.toThrow('ECONNREFUSED');
  await blobs.close();
});

test.each([
  [{ TIDEMARK_BLOBS: '/var/blobs' }, 'TIDEMARK_BLOBS must be s3://<bucket> or s3://<bucket>/<prefix>.'],
  [{ TIDEMARK_BLOBS: 's3://tidemark', TIDEMARK_S3_ENDPOINT: 'localhost:9000' }, 'TIDEMARK_S3_ENDPOINT must be a URL'],
  [{ TIDEMARK_BLOBS: 's3://tidemark', TIDEMARK_S3_ACCESS_KEY: 'a' }, 'must be set together'],
  [{ TIDEMARK_S3_REGION: 'eu-west-1' }, 'TIDEMARK_S3_REGION is of no use without TIDEMARK_BLOBS'],
])('settings that cannot be used are named: %j', (env, sentence) => {
  expect(() => loadConfig(env)).toThrow(sentence);
});
