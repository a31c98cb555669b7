import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsCommand,
  type ListObjectsCommandOutput,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import type { Logger } from 'pino';
import type { S3Settings } from '../../config.js';
import { type BlobEntry, type Blobs, blobKey, blobPrefix } from '../../ports/blobs.js';
import type { Bucket } from './bucket.js';
import { putParts } from './put-parts.js';

/**
 * Blobs in a bucket of S3, or of any server that speaks its protocol. One that does not answer now may do so when it is needed.
 * @throws Error in one sentence when it refuses
 */
export async function openS3Blobs(settings: S3Settings, log: Logger): Promise<Blobs> {
  const bucket: Bucket = {
    client: new S3Client({
      region: settings.region,
      ...(settings.endpoint ? { endpoint: settings.endpoint, forcePathStyle: true } : {}),
      ...(settings.keys ? { credentials: settings.keys } : {}),
      // servers other than Amazon's do not all know the newer checksums
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    }),
    name: settings.bucket,
  };
  const { client, name: Bucket } = bucket;
  await tryBucket(bucket, settings, log);
  const at = (key: string) => ({ Bucket, Key: settings.prefix + blobKey(key) });

  const size = async (key: string) => {
    const head = await client.send(new HeadObjectCommand(at(key))).catch(absent);
    return head ? (head.ContentLength ?? 0) : null;
  };
  const list = (prefix: string) => listFrom(bucket, settings.prefix, blobPrefix(prefix));

  return {
    async put(key, content) {
      const { Key } = at(key);
      if (content instanceof Readable) return { size: await putParts(bucket, Key, content) };
      await client.send(new PutObjectCommand({ Bucket, Key, Body: content }));
      return { size: content.byteLength };
    },

    async get(key, range) {
      if (range?.to !== undefined && range.to <= range.from) return nothingOf(await size(key));
      const Range = range ? `bytes=${range.from}-${range.to === undefined ? '' : range.to - 1}` : undefined;
      try {
        const got = await client.send(new GetObjectCommand({ ...at(key), ...(Range ? { Range } : {}) }));
        if (!(got.Body instanceof Readable)) return nothingOf(got.ContentLength ?? 0);
        const [, whole] = /\/(\d+)$/.exec(got.ContentRange ?? '') ?? [];
        return { size: whole ? Number(whole) : (got.ContentLength ?? 0), stream: got.Body };
      } catch (error) {
        if (error instanceof S3ServiceException && error.name === 'InvalidRange') return nothingOf(await size(key));
        return absent(error);
      }
    },

    size,
    delete: async (key) => {
      await client.send(new DeleteObjectCommand(at(key)));
    },
    async deleteAll(prefix) {
      let some: string[] = [];
      for await (const { key } of list(prefix)) {
        some.push(settings.prefix + key);
        if (some.length < MOST_AT_ONCE) continue;
        await deleteSome(bucket, some);
        some = [];
      }
      if (some.length > 0) await deleteSome(bucket, some);
    },
    list,
    close: async () => client.destroy(),
  };
}

/** How long a start waits for the bucket; milliseconds. */
const PATIENCE_MS = 10_000;

async function tryBucket({ client, name }: Bucket, { endpoint, prefix }: S3Settings, log: Logger): Promise<void> {
  try {
    const one = new ListObjectsCommand({ Bucket: name, Prefix: prefix, MaxKeys: 1 });
    await client.send(one, { abortSignal: AbortSignal.timeout(PATIENCE_MS) });
  } catch (error) {
    const { code, reason } = faultOf(error);
    if (code < 400 || code >= 500)
      return log.warn({ bucket: name, endpoint, reason }, 'the bucket of TIDEMARK_BLOBS does not answer');
    client.destroy();
    throw new Error(`TIDEMARK_BLOBS: the bucket ${name} cannot be used (${reason}).`, { cause: error });
  }
}

/** The status of a refusal, 0 when there was no answer. */
function faultOf(error: unknown): { code: number; reason: string } {
  if (!(error instanceof Error)) return { code: 0, reason: String(error) };
  if (error instanceof S3ServiceException) return { code: error.$metadata.httpStatusCode ?? 0, reason: error.name };
  // nobody but the settings can be at fault
  if (error.name === 'CredentialsProviderError') return { code: 401, reason: 'no keys: set TIDEMARK_S3_ACCESS_KEY' };
  return { code: 0, reason: 'code' in error ? String(error.code) : error.name };
}

/** What one request of S3 deletes. */
const MOST_AT_ONCE = 1000;

const nothingOf = (size: number | null) => (size === null ? null : { size, stream: Readable.from([]) });

async function deleteSome({ client, name }: Bucket, keys: string[]): Promise<void> {
  const { Errors = [] } = await client.send(
    new DeleteObjectsCommand({ Bucket: name, Delete: { Quiet: true, Objects: keys.map((Key) => ({ Key })) } }),
  );
  const [first] = Errors;
  if (first) throw new Error(`${Errors.length} blobs were not deleted; the first, ${first.Key}: ${first.Message}.`);
}

async function* listFrom({ client, name }: Bucket, root: string, prefix: string): AsyncGenerator<BlobEntry> {
  let Marker: string | undefined;
  do {
    const page: ListObjectsCommandOutput = await client.send(
      new ListObjectsCommand({ Bucket: name, Prefix: root + prefix, ...(Marker ? { Marker } : {}) }),
    );
    for (const { Key, Size } of page.Contents ?? []) if (Key) yield { key: Key.slice(root.length), size: Size ?? 0 };
    Marker = page.IsTruncated ? page.Contents?.at(-1)?.Key : undefined;
  } while (Marker);
}

function absent(error: unknown): null {
  if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404) return null;
  throw error;
}
