import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { JsonObject } from '../../kernel/json.js';
import { createScriptAddresses } from '../static/index.js';
import { readDocument } from './reference/document.js';
import { groupHtml, startHtml } from './reference/page-html.js';
import { STYLES } from './reference/styles.js';

/** A file in memory with its compressed form. */
export interface File {
  type: string;
  bytes: Buffer;
  gzipped: Buffer;
  etag: string;
}

/**
 * Finds the files of the reference by name, undefined for others: the first page has an empty name, that of a group its slug. Each is written
 * at its first request.
 */
export function createReferenceFiles(document: () => Promise<JsonObject>): (name: string) => Promise<File | undefined> {
  const files = new Map<string, Promise<File>>();
  const addressOf = createScriptAddresses();
  return async (name) => {
    const found = files.get(name);
    if (found) return found;
    const text = await referenceText(name, document, () => addressOf('reference'));
    if (!text) return undefined;
    const file = toFile(name.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/html; charset=utf-8', Buffer.from(text));
    files.set(name, file);
    return file;
  };
}

async function referenceText(
  name: string,
  document: () => Promise<JsonObject>,
  script: () => Promise<string | null>,
): Promise<string | undefined> {
  if (name === 'page.css') return STYLES;
  const described = readDocument(await document());
  if (name === '') return startHtml(described, await script()).text;
  const group = described.tags.find(({ slug }) => slug === name);
  return group && groupHtml(described, group, await script()).text;
}

export async function toFile(type: string, bytes: Buffer): Promise<File> {
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  return { type, bytes, gzipped: await promisify(gzip)(bytes), etag };
}
