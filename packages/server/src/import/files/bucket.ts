import { Readable } from 'node:stream';
import { GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { ImportError } from '../import-error.js';
import type { Bytes } from './bytes.js';

/** Variables of the environment, as all programs for S3 read them. */
type Env = Readonly<Record<string, string | undefined>>;

/** An object of a bucket. */
export interface BucketObject {
  /** Its address, `s3://bucket/key`. */
  path: string;
  /** Its key from the prefix on. */
  name: string;
  bytes: Bytes;
}

/** Whether a path is the address of a bucket. */
export const isBucket = (path: string): boolean => /^s3:\/\//i.test(path);

/** Bytes of one request: it is repeated as a whole when the connection breaks. */
const PART_BYTES = 8 * 1024 * 1024;

/**
 * The objects of `s3://bucket/prefix`, in the order of their keys: the object of that key, or all below it.
 * @throws ImportError the bucket does not answer, or refuses
 */
export async function listBucket(address: string, env: Env): Promise<BucketObject[]> {
  const [, bucket = '', prefix = ''] = /^s3:\/\/([^/]+)\/?(.*)$/i.exec(address) ?? [];
  if (bucket === '') throw new ImportError(`${address} is not an address: write s3://bucket/prefix.`);
  const client = createClient(env);
  const folder = prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`;
  const objects: BucketObject[] = [];
  try {
    for (let token: string | undefined; ; ) {
      const page = await client.send(
        new ListObjectsV2Command({
          Bucket: bucket,
          Prefix: prefix,
          ...(token === undefined ? {} : { ContinuationToken: token }),
        }),
      );
      for (const { Key: key = '', Size: size = 0, ETag: tag } of page.Contents ?? []) {
        if (key !== prefix && !key.startsWith(folder)) continue;
        const path = `s3://${bucket}/${key}`;
        const name = key === prefix ? path : key.slice(folder.length);
        objects.push({ path, name, bytes: bytesOfObject(client, { bucket, key, path, size, tag }) });
      }
      token = page.NextContinuationToken;
      if (!page.IsTruncated || token === undefined) return objects;
    }
  } catch (error) {
    throw refusal(`The bucket ${bucket}`, error);
  }
}

function createClient(env: Env): S3Client {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: sessionToken } = env;
  const endpoint = env['AWS_ENDPOINT_URL_S3'] ?? env['AWS_ENDPOINT_URL'];
  return new S3Client({
    region: env['AWS_REGION'] ?? env['AWS_DEFAULT_REGION'] ?? 'us-east-1',
    ...(endpoint ? { endpoint, forcePathStyle: true } : {}),
    // without them the usual places count: profiles, roles of machines and containers
    ...(accessKeyId && secretAccessKey
      ? { credentials: { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) } }
      : {}),
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
}

interface ObjectAddress {
  bucket: string;
  key: string;
  path: string;
  size: number;
  /** The version that was listed; absent: the server has none. */
  tag: string | undefined;
}

function bytesOfObject(client: S3Client, { bucket, key, path, size, tag }: ObjectAddress): Bytes {
  const part = async (start: number, end: number): Promise<Buffer> => {
    try {
      const { Body: body } = await client.send(
        new GetObjectCommand({
          Bucket: bucket,
          Key: key,
          Range: `bytes=${start}-${end - 1}`,
          ...(tag === undefined ? {} : { IfMatch: tag }),
        }),
      );
      if (!(body instanceof Readable)) throw new Error('no content');
      return Buffer.concat(await body.toArray());
    } catch (error) {
      throw refusal(path, error);
    }
  };
  return {
    size,
    async *read(start, end) {
      for (let at = start; at < end; at += PART_BYTES) yield await part(at, Math.min(end, at + PART_BYTES));
    },
  };
}

function refusal(subject: string, error: unknown): ImportError {
  const name = error instanceof Error ? error.name : '';
  const code = error instanceof Error && 'code' in error ? String(error.code) : name;
  if (name === 'NoSuchBucket') return new ImportError(`${subject} does not exist.`);
  if (/^(AccessDenied|InvalidAccessKeyId|SignatureDoesNotMatch|CredentialsProviderError|Forbidden)/.test(name))
    return new ImportError(`${subject} cannot be read with these credentials (${name}).`);
  if (/^(PreconditionFailed|NoSuchKey)/.test(name))
    return new ImportError(`${subject} has changed while it was read: run the command again.`);
  return new ImportError(
    `${subject} does not answer (${code}). Run the same command again later: it continues where it stopped.`,
  );
}
