import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { S3Settings } from '../config.js';

export interface S3Server {
  settings: S3Settings;
  close(): Promise<void>;
}

/** A server with the protocol of S3 and one empty bucket, on a port of this machine. */
export async function startS3Server(): Promise<S3Server> {
  const { default: S3rver } = await import('s3rver');
  const directory = await mkdtemp(join(tmpdir(), 'tidemark-s3-'));
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory,
    vhostBuckets: false,
    configureBuckets: [{ name: 'tidemark' }],
  });
  const { port } = await server.run();
  return {
    settings: {
      bucket: 'tidemark',
      prefix: '',
      region: 'us-east-1',
      endpoint: `http://127.0.0.1:${port}`,
      keys: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
    },
    close: async () => {
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
