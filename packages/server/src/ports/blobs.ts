import type { Readable } from 'node:stream';

/** A part of a blob: bytes from `from` to before `to`, by default to the end. */
export interface ByteRange {
  from: number;
  to?: number;
}

/** A stored blob. The caller reads `stream` to its end or destroys it. */
export interface Blob {
  /** Bytes of the whole blob, also when a range was requested. */
  size: number;
  stream: Readable;
}

export interface BlobEntry {
  key: string;
  /** Bytes. */
  size: number;
}

/**
 * Stores bytes by key. No key is the folder of another.
 *
 *     key     = segment { "/" segment } ;
 *     prefix  = { segment "/" } ;               (* empty: everything *)
 *     segment = ( letter | digit | "_" | "-" ) { letter | digit | "_" | "-" | "." } ;
 */
export interface Blobs {
  /**
   * Stores the content, replacing an earlier one. Once this resolves, the blob survives a power loss; until then, and when the content
   * breaks off, readers see the earlier one.
   * @throws the error of a content that breaks off
   */
  put(key: string, content: Uint8Array | Readable): Promise<{ size: number }>;
  /** Resolves with null if there is no such blob. A range past the end is empty. */
  get(key: string, range?: ByteRange): Promise<Blob | null>;
  /** Resolves with its bytes, or null if there is no such blob. */
  size(key: string): Promise<number | null>;
  /** Does nothing if there is no such blob. */
  delete(key: string): Promise<void>;
  /** Deletes all blobs whose keys start with the prefix. */
  deleteAll(prefix: string): Promise<void>;
  /** All blobs whose keys start with the prefix. Those of one folder come in the order of their keys. */
  list(prefix: string): AsyncIterable<BlobEntry>;
  close(): Promise<void>;
}

const SEGMENT = '[A-Za-z0-9_-][A-Za-z0-9_.-]*';
const KEY = new RegExp(`^${SEGMENT}(/${SEGMENT})*$`);
const PREFIX = new RegExp(`^(${SEGMENT}/)*$`);

/** The key itself. @throws RangeError when it is none */
export function blobKey(key: string): string {
  if (!KEY.test(key)) throw new RangeError(`"${key}" is not the key of a blob.`);
  return key;
}

/** The prefix itself. @throws RangeError when it is none */
export function blobPrefix(prefix: string): string {
  if (!PREFIX.test(prefix)) throw new RangeError(`"${prefix}" is not a prefix of keys.`);
  return prefix;
}
