/** How a bucket is reached, in S3 or in a server with the same protocol. */
export interface BucketAccess {
  region: string;
  /** Set: a server other than Amazon's, with the bucket in the path. */
  endpoint: string | null;
  /** Null: the default credential chain of the AWS SDK (environment, profile, role of the machine). */
  keys: { accessKeyId: string; secretAccessKey: string } | null;
}

/** A folder of a bucket. */
export interface S3Settings extends BucketAccess {
  bucket: string;
  /** Prefix of all keys: empty, or with a slash at the end. */
  prefix: string;
}

/** A folder of files or of a bucket. */
export type FolderPlace = { path: string } | { s3: S3Settings };

/** Whether one of two places is in the other one, or both are the same. */
export function overlap(one: FolderPlace, other: FolderPlace): boolean {
  const [a, b] = [beginning(one), beginning(other)];
  return a.startsWith(b) || b.startsWith(a);
}

/** What all addresses in a place begin with. */
const beginning = (place: FolderPlace): string =>
  'path' in place ? `${place.path.replace(/\/$/, '')}/` : `s3:${place.s3.endpoint}/${place.s3.bucket}/${place.s3.prefix}`;
