import type { Scheduler } from '../../../ports/system.js';

/** How far the first look at a payload goes, bytes. */
export const GLANCE = 128;

const ALPHABET = new Uint8Array(256);
for (const char of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=') ALPHABET[char.charCodeAt(0)] = 1;

/** Bytes decoded between two looks at other requests; whole groups of four. */
const STRETCH = 4 * 1024 * 1024;

const SPACE = 0x20;
const EQUALS = 0x3d;

/** Whether the bytes could be base64: judged by their length and by their beginning. `spaces`: `+` may have become a space. */
export function looksLikeBase64(bytes: Uint8Array, spaces = false): boolean {
  if (bytes.length === 0 || bytes.length % 4 !== 0) return false;
  const end = Math.min(bytes.length, GLANCE);
  for (let i = 0; i < end; i++) {
    const byte = bytes[i] ?? 0;
    if (ALPHABET[byte] !== 1 && !(spaces && byte === SPACE)) return false;
  }
  return true;
}

/** The decoded bytes, or null when they are not base64 after all. */
export async function decodeBase64(bytes: Buffer, scheduler: Scheduler): Promise<Buffer | null> {
  const padding = bytes.at(-1) !== EQUALS ? 0 : bytes.at(-2) === EQUALS ? 2 : 1;
  const decoded = Buffer.allocUnsafe((bytes.length / 4) * 3 - padding);
  let length = 0;
  for (let at = 0; at < bytes.length; at += STRETCH) {
    if (at > 0) await scheduler.yield();
    length += decoded.write(bytes.toString('latin1', at, at + STRETCH), length, 'base64');
  }
  // the platform's decoder skips what it does not know, which shows in the length
  return length === decoded.length ? decoded : null;
}
