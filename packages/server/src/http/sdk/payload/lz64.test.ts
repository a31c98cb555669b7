import { array, assert, constantFrom, property, string, uint8Array } from 'fast-check';
import lzString from 'lz-string';
import { expect, test } from 'vitest';
import { SdkError } from '../sdk-error.js';
import { decompressLz64 } from './lz64.js';

const compress = (text: string) => Buffer.from(lzString.compressToBase64(text));

test('it decodes what lz-string encodes', () => {
  const text = property(string({ unit: 'binary', maxLength: 2000 }), (value) => {
    expect(decompressLz64(compress(value))).toBe(value);
  });
  const repetitive = property(array(constantFrom('a', 'b', 'é', '漢', '😀'), { maxLength: 1000 }), (parts) => {
    expect(decompressLz64(compress(parts.join('')))).toBe(parts.join(''));
  });
  assert(text);
  assert(repetitive);
});

test('output beyond the limit is refused quickly', () => {
  const bomb = growingPhrases(4000);
  expect(bomb.length).toBeLessThan(10_000);
  const start = process.cpuUsage();
  expect(() => decompressLz64(bomb)).toThrow('too large');
  expect(process.cpuUsage(start).user).toBeLessThan(1_000_000);
});

/** What lz-string makes of very many equal letters, without the hour it takes: each code is the phrase being made. */
function growingPhrases(count: number): Buffer {
  const bits: number[] = [];
  const put = (value: number, width: number) => {
    for (let i = 0; i < width; i++) bits.push((value >> i) & 1);
  };
  put(0, 2);
  put('a'.charCodeAt(0), 8);
  let [numBits, enlargeIn] = [3, 4];
  for (let code = 4; code < count; code++) {
    put(code, numBits);
    if (--enlargeIn === 0) enlargeIn = 2 ** numBits++;
  }
  put(2, numBits);
  while (bits.length % 8 > 0) bits.push(0);
  return Buffer.from(
    Buffer.from(
      bits
        .join('')
        .match(/.{8}/g)
        ?.map((byte) => Number.parseInt(byte, 2)) ?? [],
    ).toString('base64'),
  );
}

test('the handwritten text is the output of lz-string', () => {
  expect(decompressLz64(growingPhrases(100))).toBe(lzString.decompressFromBase64(growingPhrases(100).toString()));
});

test('any bytes are decoded or refused', () => {
  assert(
    property(uint8Array({ maxLength: 300 }), (bytes) => {
      try {
        expect(typeof decompressLz64(Buffer.from(Buffer.from(bytes).toString('base64')))).toBe('string');
      } catch (error) {
        expect(error).toBeInstanceOf(SdkError);
      }
    }),
  );
});
