import { join } from 'node:path';
import type { Config } from '../../config.js';
import type { Blobs } from '../../ports/blobs.js';
import { openFileBlobs } from './file-blobs.js';
import { openS3Blobs } from './s3-blobs.js';

/** Opens the blobs: in the bucket of TIDEMARK_BLOBS, or as files under `<dataDir>/blobs`. */
export async function openBlobs(config: Pick<Config, 'dataDir' | 'fsync' | 's3'>): Promise<Blobs> {
  return config.s3 ? openS3Blobs(config.s3) : openFileBlobs(join(config.dataDir, 'blobs'), config);
}
