/** Bytes in hexadecimal: a lookup is faster than `toString(16)`. */
const HEX = Array.from({ length: 256 }, (_, byte) => (byte + 256).toString(16).slice(1));

/**
 * Creates a generator of UUIDs version 7 (RFC 9562) for a time in epoch milliseconds, by default now.
 * @param fill fills the array with random bytes; called once for many ids, since a call takes longer than an id
 */
export function uuid7Maker(now: () => number, fill: (bytes: Uint8Array<ArrayBuffer>) => unknown): (at?: number) => string {
  const bytes: Uint8Array<ArrayBuffer> & { toHex?(): string } = new Uint8Array(1020);
  /** Random digits for the next ids: engines write many at once much faster than those of one id. */
  let pool = '';
  let used = 0;
  let last = -1;
  let count = 0;
  let time = '';
  let high = -1;
  let head = '';
  return (at = now()) => {
    // ids of the same millisecond count up (RFC 9562, section 6.2), so that events keep their order
    if (at === last) count = (count + 1) & 0xfff;
    else {
      last = at;
      count = 0;
      const ms = Math.max(0, Math.floor(at));
      const current = Math.floor(ms / 2 ** 16);
      // engines are slow to write numbers above 31 bits; the upper digits change each minute
      if (current !== high) {
        high = current;
        head = `${(high + 2 ** 32).toString(16).slice(1)}-`;
      }
      time = `${head}${HEX[(ms >> 8) & 0xff]}${HEX[ms & 0xff]}-`;
    }
    if (used >= pool.length) {
      fill(bytes);
      pool = bytes.toHex?.() ?? Array.from(bytes, (byte) => HEX[byte]).join('');
      used = 0;
    }
    const start = used;
    used += 15;
    // the 8 has the two bits of the variant; 60 random ones follow
    return `${time}${HEX[0x70 | (count >> 8)]}${HEX[count & 0xff]}-8${pool.slice(start, start + 3)}-${pool.slice(start + 3, used)}`;
  };
}
