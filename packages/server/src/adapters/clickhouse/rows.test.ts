import { expect, test } from 'vitest';
import { createScheduler } from '../system/index.js';
import { decodeLines, encodeLines, shortIntegers } from './rows.js';

test('integers beyond 64 bits are stored in a form with their exact value', () => {
  const odd = {
    big: 2 ** 64,
    low: -(2 ** 63) * 1.5,
    text: '99999999999999999999 "1',
    tiny: 0.0000012345678901234567,
    list: [1e20, 1],
    huge: 1e300,
  };
  const text = shortIntegers(JSON.stringify(odd));
  expect(JSON.parse(text)).toEqual(odd);
  expect(text.replace(/"(?:[^"\\]|\\.)*"|\d+\.\d+/g, '')).not.toMatch(/\d{19}/);
});

test('lines are decoded to the rows that were encoded', async () => {
  const rows = ['ann', 'zoë\n😀'].map((distinct_id) => ({ project_id: 1, distinct_id, person_id: 'p', version: 1 }));
  expect(decodeLines(await encodeLines(rows, createScheduler()))).toEqual(rows);
});
