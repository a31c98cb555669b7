const encoder = new TextEncoder();
export const utf8 = (text: string): Uint8Array => encoder.encode(text);

const words = new Int32Array(80);
let bytes = new Uint8Array(256);
let view = new DataView(bytes.buffer);

/**
 * The first 15 hex digits of the SHA-1 of the three parts, as a share of 2^60: a number from 0 to 1.
 * Own implementation, because `crypto.subtle` is asynchronous and evaluation is synchronous.
 */
export function shareOf(prefix: Uint8Array, identifier: Uint8Array, salt: Uint8Array): number {
  const length = prefix.length + identifier.length + salt.length;
  const end = (length + 72) & ~63;
  if (end > bytes.length) {
    bytes = new Uint8Array(end * 2);
    view = new DataView(bytes.buffer);
  }
  bytes.set(prefix);
  bytes.set(identifier, prefix.length);
  bytes.set(salt, length - salt.length);
  bytes.fill(0, length, end);
  bytes[length] = 128;
  view.setInt32(end - 4, length * 8);
  let h0 = 0x67452301;
  let h1 = ~0x10325476;
  let h2 = ~h0;
  let h3 = ~h1;
  let h4 = -0x3c2d1e10;
  for (let start = 0; start < end; start += 64) {
    let [a, b, c, d, e] = [h0, h1, h2, h3, h4];
    for (let i = 0; i < 80; i++) {
      let word: number;
      if (i < 16) word = view.getInt32(start + i * 4);
      else {
        word = (words[i - 3] as number) ^ (words[i - 8] as number) ^ (words[i - 14] as number) ^ (words[i - 16] as number);
        word = (word << 1) | (word >>> 31);
      }
      words[i] = word;
      word +=
        i < 20
          ? (d ^ (b & (c ^ d))) + 0x5a827999
          : i < 40
            ? (b ^ c ^ d) + 0x6ed9eba1
            : i < 60
              ? ((b & c) | (d & (b | c))) - 0x70e44324
              : (b ^ c ^ d) - 0x359d3e2a;
      word = (((a << 5) | (a >>> 27)) + e + word) | 0;
      e = d;
      d = c;
      c = (b << 30) | (b >>> 2);
      b = a;
      a = word;
    }
    h0 = (h0 + a) | 0;
    h1 = (h1 + b) | 0;
    h2 = (h2 + c) | 0;
    h3 = (h3 + d) | 0;
    h4 = (h4 + e) | 0;
  }
  // add first, so that only the sum is rounded; dividing by a power of two is exact. Otherwise the last bit can differ
  return ((h0 >>> 0) * 2 ** 28 + (h1 >>> 4)) / 2 ** 60;
}
