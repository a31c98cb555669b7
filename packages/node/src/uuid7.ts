import { randomFillSync } from 'node:crypto';

const random = new Uint8Array(16 * 64);
let used = random.length;

/** A UUID version 7 of the time (epoch milliseconds) or of now. */
export function uuid7(at: number = Date.now()): string {
  // asked for many bytes at once, the operating system costs an event next to nothing
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  const bytes = Buffer.from(random.subarray(used, used + 16));
  used += 16;
  bytes.writeUIntBE(Math.max(0, Math.floor(at)), 0, 6);
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
