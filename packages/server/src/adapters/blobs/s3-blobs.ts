import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
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
import { Upload } from '@aws-sdk/lib-storage';
import type { Logger } from 'pino';
import type { S3Settings } from '../../config.js';
import { type BlobEntry, type Blobs, blobKey, blobPrefix } from '../../ports/blobs.js';

interface Bucket {
  client: S3Client;
  name: string;
}

/** Bytes of a part of an upload, one of which is in memory at a time. S3 takes parts from 5 MiB on, and 10,000 of them. */
const PART_BYTES = 16 * 1024 * 1024;

/**
 * Blobs in a bucket of S3 or of any server with its protocol. A server that does not answer at start is only reported: it may answer later.
 * @throws Error in one sentence when the server refuses
 */
export async function openS3Blobs(settings: S3Settings, log: Logger): Promise<Blobs> {
  // biome-ignore lint/style/noProcessEnv: the library announces what later versions of it need, and has no other setting against that
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  const bucket: Bucket = {
    client: new S3Client({
      region: settings.region,
      ...(settings.endpoint ? { endpoint: settings.endpoint, forcePathStyle: true } : {}),
      ...(settings.keys ? { credentials: settings.keys } : {}),
      // not all servers other than Amazon's know the newer checksums
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
      if (content instanceof Readable) return { size: await upload(bucket, Key, content) };
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
      let batch: string[] = [];
      for await (const { key } of list(prefix)) {
        batch.push(settings.prefix + key);
        if (batch.length < MAX_DELETES) continue;
        await deleteKeys(bucket, batch);
        batch = [];
      }
      if (batch.length > 0) await deleteKeys(bucket, batch);
    },
    list,
    close: async () => client.destroy(),
  };
}

/** Stores a stream of unknown length, whole or not at all, and returns its bytes. */
async function upload({ client, name: Bucket }: Bucket, Key: string, content: Readable): Promise<number> {
  const upload = new Upload({
    client,
    params: { Bucket, Key, Body: content },
    partSize: PART_BYTES,
    queueSize: 1,
    // aborted below: an abort that fails would hide the error by its own
    leavePartsOnError: true,
  });
  let size = 0;
  upload.on('httpUploadProgress', ({ loaded = 0 }) => {
    size = loaded;
  });
  try {
    await upload.done();
    return size;
  } catch (error) {
    content.destroy();
    const { uploadId: UploadId } = upload;
    // S3 would keep the parts, and charge for them
    if (UploadId) await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId })).catch(() => {});
    throw error;
  }
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

/** The HTTP status of a refusal; 0 when the server did not answer. */
function faultOf(error: unknown): { code: number; reason: string } {
  if (!(error instanceof Error)) return { code: 0, reason: String(error) };
  if (error instanceof S3ServiceException) return { code: error.$metadata.httpStatusCode ?? 0, reason: error.name };
  // only the settings can be at fault
  if (error.name === 'CredentialsProviderError') return { code: 401, reason: 'no keys: set TIDEMARK_S3_ACCESS_KEY' };
  return { code: 0, reason: 'code' in error ? String(error.code) : error.name };
}

/** Keys that one request of S3 deletes at most. */
const MAX_DELETES = 1000;

const nothingOf = (size: number | null) => (size === null ? null : { size, stream: Readable.from([]) });

async function deleteKeys({ client, name }: Bucket, keys: string[]): Promise<void> {
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
