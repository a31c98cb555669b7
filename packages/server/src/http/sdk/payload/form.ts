import type { Scheduler } from '../../../ports/system.js';
import { GLANCE, looksLikeBase64 } from './base64.js';

const FIELD = /(?:^|&)(?:data|_|ip|compression)=/;
const AMPERSAND = 0x26;
const PERCENT = 0x25;
const PLUS = 0x2b;
const SPACE = 0x20;
/** Bytes decoded between two looks at other requests. */
const STRETCH = 1024 * 1024;
/** Fields looked at: SDKs send a handful. */
const MAX_FIELDS = 100;

/** Whether the bytes begin like one of the url-encoded forms that SDKs send. */
export function looksLikeForm(bytes: Buffer): boolean {
  return FIELD.test(bytes.toString('latin1', 0, GLANCE));
}

/** The two fields of a form that matter; `data` is null when the form has none. */
export async function parseForm(
  bytes: Buffer,
  scheduler: Scheduler,
): Promise<{ data: Buffer | null; compression: string | undefined }> {
  const data = findField(bytes, 'data=');
  const compression = findField(bytes, 'compression=');
  return {
    data: data && plusesBack(await percentDecode(data, scheduler)),
    compression: compression ? (await percentDecode(compression, scheduler)).toString('latin1') : undefined,
  };
}

/** Spaces of what would else be base64 are pluses that were taken for encoded spaces. */
export function plusesBack(bytes: Buffer): Buffer {
  if (!looksLikeBase64(bytes, true)) return bytes;
  for (let i = 0; i < bytes.length; i++) if (bytes[i] === SPACE) bytes[i] = PLUS;
  return bytes;
}

function findField(bytes: Buffer, name: string): Buffer | null {
  let start = 0;
  for (let field = 0; field < MAX_FIELDS && start < bytes.length; field++) {
    const next = bytes.indexOf(AMPERSAND, start);
    const end = next === -1 ? bytes.length : next;
    if (bytes.toString('latin1', start, start + name.length) === name) return bytes.subarray(start + name.length, end);
    start = end + 1;
  }
  return null;
}

async function percentDecode(bytes: Buffer, scheduler: Scheduler): Promise<Buffer> {
  const out = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  for (let i = 0, rest = STRETCH; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0;
    const value = byte === PERCENT ? hexPair(bytes[i + 1], bytes[i + 2]) : -1;
    out[length++] = value >= 0 ? value : byte === PLUS ? SPACE : byte;
    if (value >= 0) i += 2;
    if (--rest === 0) {
      rest = STRETCH;
      await scheduler.yield();
    }
  }
  return out.subarray(0, length);
}

function hexPair(high = 0, low = 0): number {
  const a = hexDigit(high);
  const b = hexDigit(low);
  return a < 0 || b < 0 ? -1 : a * 16 + b;
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
