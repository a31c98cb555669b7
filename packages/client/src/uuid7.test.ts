import { expect, test } from 'vitest';
import { uuid7Maker } from './uuid7.js';

test('ids are UUIDs of version 7 that carry their time and do not repeat', () => {
  const uuid7 = uuid7Maker(
    () => 1_735_689_600_000,
    (bytes) => crypto.getRandomValues(bytes),
  );
  const ids = Array.from({ length: 5_000 }, () => uuid7());
  for (const id of ids) expect(id).toMatch(/^01941f29-7c00-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(new Set(ids).size).toBe(5_000);
  expect(ids.slice(0, 3_000)).toEqual(ids.slice(0, 3_000).sort());
  expect(uuid7(1)).toMatch(/^00000000-0001-7/);
});
