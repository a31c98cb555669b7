import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Config, FolderPlace } from '../../config.js';
import type { Blobs } from '../../ports/blobs.js';
import { openFileBlobs } from './file-blobs.js';

/** Opens the blobs: in the bucket of TIDEMARK_BLOBS, or as files under `<dataDir>/blobs`. @throws Error in one sentence */
export async function openBlobs(config: Pick<Config, 'dataDir' | 'fsync' | 's3'>, log: Logger): Promise<Blobs> {
  if (!config.s3) return openFileBlobs(join(config.dataDir, 'blobs'), config);
  // loaded only for a bucket: the AWS SDK takes most of a second
  const { openS3Blobs } = await import('./s3-blobs.js');
  return openS3Blobs(config.s3, log);
}

/**
 * Opens a folder of files or of a bucket. Of the processes that write files, one at a time has it open.
 * @throws Error in one sentence
 */
export async function openFolder(
  place: FolderPlace,
  options: { fsync: boolean; isReadOnly?: boolean; log: Logger },
): Promise<Blobs> {
  if ('path' in place) {
    return openFileBlobs(place.path, options).catch((error: NodeJS.ErrnoException) => {
      const reason = error.code ?? error.message;
      throw new Error(
        `The folder ${place.path} cannot be written (${reason}): name one that the user of the service may write.`,
        {
          cause: error,
        },
      );
    });
  }
  const { openS3Blobs } = await import('./s3-blobs.js');
  try {
    return await openS3Blobs(place.s3, options.log);
  } catch (error) {
    if (error instanceof Error) error.message = error.message.replace(/^TIDEMARK_BLOBS: t/, 'T');
    throw error;
  }
}
