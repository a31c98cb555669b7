import { expect, test } from 'vitest';
import { coverage, readList, readTests } from '../coverage.mjs';

test('every behaviour of the list has a test or a documented reason on each client that it concerns', () => {
  const missing = coverage().filter(({ state }) => state === 'missing');
  expect(missing.map(({ line, who }) => `${line.id} ${who}`)).toEqual([]);
});

test('the list has no duplicates, and tests have only ids of the list', () => {
  const ids = readList().map(({ id }) => id);
  expect(ids.length).toBeGreaterThan(200);
  expect(new Set(ids).size).toBe(ids.length);
  const kinds = new Set(ids.map((id) => id.replace(/\d+$/, '')));
  const named = [...readTests().keys()].filter((id) => kinds.has(id.replace(/\d+$/, '')));
  expect(named.filter((id) => !ids.includes(id))).toEqual([]);
});

test('a behaviour with a test has no documented reason for a missing one', () => {
  const idle = coverage().filter(({ line, who, state }) => state === 'itself' && line.reasons[who]);
  expect(idle.map(({ line, who }) => `${line.id} ${who}`)).toEqual([]);
});

test('a behaviour without a test is reported', () => {
  const line = { id: 'CAP-1', who: ['B' as const, 'N' as const], what: '', reasons: { N: 'because' } };
  const test = { who: ['M' as const], core: false, file: '' };
  const states = (tests: Map<string, (typeof test)[]>) => coverage([line], tests).map(({ state }) => state);
  expect(states(new Map([['CAP-1', [test]]]))).toEqual(['missing', 'reason']);
  expect(states(new Map([['CAP-1', [{ ...test, who: ['M', 'B'] as never }]]]))).toEqual(['itself', 'reason']);
});
