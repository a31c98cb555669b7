/** Bytes in hexadecimal: a lookup is faster than `toString(16)`. */
const HEX = Array.from({ length: 256 }, (_, byte) => (byte + 256).toString(16).slice(1));

/**
 * Creates a generator of UUIDs version 7 (RFC 9562) for a time in epoch milliseconds, by default now.
 * @param fill fills the array with random bytes; called once for many ids, since a call takes longer than an id
 */
export function uuid7Maker(now: () => number, fill: (bytes: Uint8Array<ArrayBuffer>) => unknown): (at?: number) => string {
  const pool = new Uint8Array(512);
  let left = 0;
  let last = -1;
  let count = 0;
  let time = '';
  const random = () => HEX[pool[--left] ?? 0];
  return (at = now()) => {
    // ids of the same millisecond count up (RFC 9562, section 6.2), so that events keep their order
    if (at === last) count = (count + 1) & 0xfff;
    else {
      last = at;
      count = 0;
      const hex = (Math.max(0, Math.floor(at)) + 2 ** 48).toString(16);
      time = `${hex.slice(1, 9)}-${hex.slice(9)}-`;
    }
    if (!left) {
      fill(pool);
      left = pool.length;
    }
    // 62 random bits below the two of the variant
    return `${time}${HEX[0x70 | (count >> 8)]}${HEX[count & 0xff]}-${HEX[((pool[--left] ?? 0) & 0x3f) | 0x80]}${random()}-${random()}${random()}${random()}${random()}${random()}${random()}`;
  };
}
