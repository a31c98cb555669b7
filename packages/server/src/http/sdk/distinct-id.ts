import type { Json } from '../../kernel/json.js';

/** Longest distinct id kept, characters; also the number of bytes from which ids are looked at. */
export const MAX_DISTINCT_ID = 200;

/** A distinct id as text: what is not text becomes compact JSON, and what is too long its first 200 characters. */
export function distinctIdText(id: Json): string {
  const text = typeof id === 'string' ? id : JSON.stringify(id);
  return isOver200Bytes(text) ? firstCharacters(text) : text;
}

/** Whether the text has more than 200 bytes in UTF-8. */
export function isOver200Bytes(text: string): boolean {
  // no UTF-16 unit takes more than three bytes
  return text.length > MAX_DISTINCT_ID / 3 && Buffer.byteLength(text) > MAX_DISTINCT_ID;
}

function firstCharacters(text: string): string {
  let end = 0;
  for (let count = 0; count < MAX_DISTINCT_ID && end < text.length; count++) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}

const ILLEGAL: ReadonlySet<string> = new Set([
  '0',
  '00000000-0000-0000-0000-000000000000',
  '[object object]',
  'anonymous',
  'anonymous-user',
  'backend',
  'distinct_id',
  'distinctid',
  'email',
  'false',
  'guest',
  'id',
  'nan',
  'none',
  'not_authenticated',
  'null',
  'system',
  'true',
  'undefined',
  'user',
]);

/** Whether an id is one that broken clients send for everybody; the v1 protocol refuses these. */
export const isIllegalDistinctId = (id: string): boolean => ILLEGAL.has(id.trim().toLowerCase());
