import type { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type { Bucket } from './bucket.js';

/** Bytes of a part, at least 5 MiB by the protocol, which also ends at 10,000 parts. */
const PART = 16 * 1024 * 1024;

/** Stores a stream of unknown length, one part in memory at a time, whole or not at all; its bytes. */
export async function putParts({ client, name: Bucket }: Bucket, Key: string, content: Readable): Promise<number> {
  const parts = partsOf(content);
  const first = await parts.next();
  const start: Buffer = first.done ? Buffer.alloc(0) : first.value;
  if (start.length < PART) {
    await client.send(new PutObjectCommand({ Bucket, Key, Body: start }));
    return start.length;
  }
  const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
  const upload = { Bucket, Key, UploadId };
  try {
    const Parts: { PartNumber: number; ETag: string | undefined }[] = [];
    let size = 0;
    const send = async (Body: Buffer) => {
      const PartNumber = Parts.length + 1;
      const { ETag } = await client.send(new UploadPartCommand({ ...upload, PartNumber, Body }));
      Parts.push({ PartNumber, ETag });
      size += Body.length;
    };
    await send(start);
    for await (const part of parts) await send(part);
    await client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }));
    return size;
  } catch (error) {
    content.destroy();
    // parts of an upload that is neither completed nor aborted are kept, and paid for
    await client.send(new AbortMultipartUploadCommand(upload)).catch(() => {});
    throw error;
  }
}

/** The content in pieces of PART bytes; the last may be smaller. */
async function* partsOf(content: Readable): AsyncGenerator<Buffer, void> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of content) {
    const piece: Buffer = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk);
    waiting.push(piece);
    bytes += piece.length;
    if (bytes < PART) continue;
    const joined = Buffer.concat(waiting, bytes);
    let at = 0;
    for (; joined.length - at >= PART; at += PART) yield joined.subarray(at, at + PART);
    const rest = Buffer.from(joined.subarray(at));
    waiting = rest.length > 0 ? [rest] : [];
    bytes = rest.length;
  }
  if (bytes > 0) yield Buffer.concat(waiting, bytes);
}
