import { expect, test } from 'vitest';
import { isDashedUuid, isUuid, objectId, parseUuid } from './ids.js';

const UUID = '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b';
const plain = UUID.replaceAll('-', '');

test.each<[text: string, parsed: string | null, isSegment: boolean, isDashed: boolean]>([
  [UUID, UUID, true, true],
  [UUID.toUpperCase(), UUID, true, true],
  [plain, UUID, true, false],
  [plain.toUpperCase(), UUID, true, false],
  // PostgreSQL takes a dash after any four digits
  ['0190a1b2-c3d47e5f8a9b0c1d2e3f4a5b', null, true, false],
  ['0190a1b2-c3d47e5f-8a9b-0c1d2e3f4a5b', null, true, false],
  [` ${UUID}`, null, false, false],
  [`${UUID}0`, null, false, false],
  [UUID.replace('0', 'g'), null, false, false],
  ['', null, false, false],
])('"%s" as a UUID is %s', (text, parsed, isSegment, isDashed) => {
  expect([parseUuid(text), isUuid(text), isDashedUuid(text)]).toEqual([parsed, isSegment, isDashed]);
});

test.each([
  ['1', 1],
  ['2147483647', 2_147_483_647],
  ['2147483648', null],
  ['-1', null],
  ['1.0', null],
  ['', null],
  [undefined, null],
])('%s as the id of an object is %s', (segment, id) => expect(objectId(segment)).toBe(id));
