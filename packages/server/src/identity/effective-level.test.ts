import { expect, test } from 'vitest';
import { effectiveLevel } from './effective-level.js';

test.each([
  // private, organization, explicit, effective
  [false, null, null, null],
  [false, 1, null, 1],
  [false, 15, null, 15],
  // an explicit membership of an open project sleeps until the project is private
  [false, 1, 8, 1],
  [true, null, 8, null],
  [true, 1, null, null],
  [true, 1, 1, 1],
  [true, 1, 8, 8],
  [true, 8, null, 8],
  [true, 15, 8, 15],
] as const)('private %s, organization %s, explicit %s: %s', (isPrivate, organization, explicit, effective) => {
  expect(effectiveLevel(isPrivate, organization, explicit)).toBe(effective);
});
