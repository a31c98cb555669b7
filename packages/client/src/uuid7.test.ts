import { afterEach, describe, expect, test } from 'vitest';
import { timeOfUuid7 } from './event-time.js';
import { uuid7Maker } from './uuid7.js';

const random = (bytes: Uint8Array<ArrayBuffer>) => crypto.getRandomValues(bytes);
const hexOf = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
const digits = Object.getOwnPropertyDescriptor(Uint8Array.prototype, 'toHex');

/** Adds the method `toHex` of newer engines, or removes it. */
function provideToHex(provided: boolean) {
  Reflect.deleteProperty(Uint8Array.prototype, 'toHex');
  if (!provided) return;
  Object.defineProperty(Uint8Array.prototype, 'toHex', {
    configurable: true,
    value(this: Uint8Array) {
      return hexOf(this);
    },
  });
}

afterEach(() => {
  provideToHex(false);
  if (digits) Object.defineProperty(Uint8Array.prototype, 'toHex', digits);
});

describe.each([
  ['with toHex', true],
  ['without toHex', false],
])('in an engine %s', (_, provided) => {
  test('ids are UUIDs of version 7 with their time, and do not repeat', () => {
    provideToHex(provided);
    const uuid7 = uuid7Maker(() => 1_735_689_600_000, random);
    const ids = Array.from({ length: 5_000 }, () => uuid7());
    for (const id of ids) expect(id).toMatch(/^01941f29-7c00-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(new Set(ids).size).toBe(5_000);
    expect(ids.slice(0, 3_000)).toEqual(ids.slice(0, 3_000).sort());
    expect(uuid7(1)).toMatch(/^00000000-0001-7/);
  });

  test('no random digit is used twice', () => {
    provideToHex(provided);
    let filled = '';
    const uuid7 = uuid7Maker(Date.now, (bytes) => {
      filled += hexOf(random(bytes));
    });
    const used = Array.from({ length: 1_000 }, () => uuid7().slice(20).replace('-', '')).join('');
    expect(used).toBe(filled.slice(0, used.length));
  });
});

test('ids have their time when the clock jumps back and forth', () => {
  const uuid7 = uuid7Maker(Date.now, random);
  const start = 1_735_689_600_000;
  for (const step of [0, 1, 65_535, 65_536, 65_537, 3, 2 ** 32, -1, 131_071, 131_072, -start])
    expect(timeOfUuid7(uuid7(start + step))).toBe(start + step);
  expect(timeOfUuid7(uuid7(start + 0.75))).toBe(start);
  expect(timeOfUuid7(uuid7(-5))).toBe(0);
});
