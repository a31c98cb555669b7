const words = new Int32Array(80);
let bytes = new Uint8Array(256);

/**
 * The first 15 hex digits of the SHA-1 of the three parts, as a share of 2^60: a number from 0 to 1.
 * Synchronous and our own, because the platform's is asynchronous in browsers and workers.
 */
export function shareOf(prefix: Uint8Array, identifier: Uint8Array, salt: Uint8Array): number {
  const length = prefix.length + identifier.length + salt.length;
  const end = ((length + 72) >> 6) << 6;
  if (end > bytes.length) bytes = new Uint8Array(end * 2);
  bytes.set(prefix);
  bytes.set(identifier, prefix.length);
  bytes.set(salt, prefix.length + identifier.length);
  bytes[length] = 0x80;
  bytes.fill(0, length + 1, end);
  let h0 = 0x67452301;
  let h1 = 0xefcdab89 | 0;
  let h2 = 0x98badcfe | 0;
  let h3 = 0x10325476;
  let h4 = 0xc3d2e1f0 | 0;
  for (let start = 0; start < end; start += 64) {
    for (let i = 0, at = start; i < 16; i++, at += 4) {
      words[i] =
        ((bytes[at] as number) << 24) |
        ((bytes[at + 1] as number) << 16) |
        ((bytes[at + 2] as number) << 8) |
        (bytes[at + 3] as number);
    }
    if (start + 64 === end) words[15] = length * 8;
    let a = h0;
    let b = h1;
    let c = h2;
    let d = h3;
    let e = h4;
    for (let i = 0; i < 80; i++) {
      let word: number;
      if (i < 16) word = words[i] as number;
      else {
        const mixed = (words[i - 3] as number) ^ (words[i - 8] as number) ^ (words[i - 14] as number) ^ (words[i - 16] as number);
        word = (mixed << 1) | (mixed >>> 31);
        words[i] = word;
      }
      const f =
        i < 20
          ? (d ^ (b & (c ^ d))) + 0x5a827999
          : i < 40
            ? (b ^ c ^ d) + 0x6ed9eba1
            : i < 60
              ? ((b & c) | (d & (b | c))) - 0x70e44324
              : (b ^ c ^ d) - 0x359d3e2a;
      const next = (((a << 5) | (a >>> 27)) + f + e + word) | 0;
      e = d;
      d = c;
      c = (b << 30) | (b >>> 2);
      b = a;
      a = next;
    }
    h0 = (h0 + a) | 0;
    h1 = (h1 + b) | 0;
    h2 = (h2 + c) | 0;
    h3 = (h3 + d) | 0;
    h4 = (h4 + e) | 0;
  }
  // the sum is rounded to a double once, then divided exactly: in the other order the last bit can differ
  return ((h0 >>> 0) * 2 ** 28 + (h1 >>> 4)) / 2 ** 60;
}
