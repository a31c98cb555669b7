import { describe, expect, test } from 'vitest';
import { flagFor, NOW, once } from './testing/subjects.js';
import type { Environment } from './types.js';

const ABSENT = Symbol('absent');
type Row = [operator: string, value: unknown, matching: unknown[], others: unknown[]];

/** Per operator and filter value: the properties that match and those that do not. */
const TABLE: Row[] = [
  ['exact', 'Pro', ['pro', 'PRO'], ['prof', '', null, 1, true, ABSENT]],
  ['exact', ['a', 'B', 5], ['A', 'b', 5, '5'], ['c', 'a,B', null, ABSENT]],
  ['exact', 5, [5, '5'], [5.5, '5.0', true, ABSENT]],
  ['exact', true, [true, 'true', 'TRUE', ['true', true]], [false, 'yes', 1, null, 'false', ABSENT]],
  ['exact', 'False', [false, 'false', 'no', 0, null, 'x'], [true, 'true', ABSENT]],
  ['exact', ['true', true], [true, 'True'], [false, 'x', ABSENT]],
  ['exact', ['true', 'x'], ['TRUE', 'X', true], [false, 'y', ABSENT]],
  ['exact', [], [true, 'true', []], [false, 'x', null, ABSENT]],
  ['exact', { b: 1, a: [2, { d: 1, c: 2 }] }, [{ a: [2, { c: 2, d: 1 }], b: 1 }], [{ b: 1 }, 'b', ABSENT]],
  ['exact', 'null', [null, 'NULL'], ['', ABSENT]],
  ['exact', 'ÄRA', ['ära'], ['ara', ABSENT]],
  ['is_not', 'pro', ['free', '', null, 1, ABSENT], ['PRO']],
  ['is_not', ['a', 'b'], ['c', ABSENT], ['A', 'b']],
  ['is_not', true, [false, 'x', null, ABSENT], [true, 'TRUE']],
  ['icontains', '@Example', ['ada@EXAMPLE.com'], ['ada', '', null, ABSENT]],
  ['icontains', 'ä', ['bär'], ['BÄR', ABSENT]],
  ['icontains', 32, [323, 'x32'], [3.2, ABSENT]],
  ['not_icontains', 'x', ['abc', '', null, ABSENT], ['aXb']],
  ['icontains_multi', ['x', 'Y'], ['axe', 'my'], ['abc', ABSENT]],
  ['icontains_multi', 'x', ['axe'], ['abc', ABSENT]],
  ['icontains', ['x', 'Y'], ['axe', 'my'], ['abc', ABSENT]],
  ['not_icontains_multi', ['x', 'y'], ['abc', ABSENT], ['AXE', 'my']],
  ['starts_with', 'Ad', ['ADA', 'ad'], ['sad', ABSENT]],
  ['not_starts_with', 'ad', ['sad', ABSENT], ['ADA']],
  ['ends_with', 'DA', ['ada', 'da'], ['dab', ABSENT]],
  ['not_ends_with', 'da', ['dab', ABSENT], ['ADA']],
  ['regex', '^a.c$', ['abc'], ['Abc', 'abcd', ABSENT]],
  ['regex', '(?<=a)b', ['ab'], ['b', ABSENT]],
  ['regex', '', ['', 'x', 5], [ABSENT]],
  ['regex', '(', [], ['(', '', ABSENT]],
  ['regex', ['a', 'b'], ['ax', 'xb'], ['x', ABSENT]],
  ['regex', ['a', '('], [], ['a', ABSENT]],
  ['not_regex', '^a', ['b', ABSENT], ['ab']],
  ['not_regex', '(', [ABSENT], ['(', 'x']],
  ['gt', 5, [6, '5.1', '1e3'], [5, '6px', 'six', true, null, '', ' ', '0x10', [6], ABSENT]],
  ['gte', '5', [5, '5', 6], [4.99, ABSENT]],
  ['lt', 5, [4, '-7', '.5'], [5, 'a', null, ABSENT]],
  ['lte', 5, [5, '+5'], [5.01, ABSENT]],
  ['gt', ' 5 ', [6, '6'], [5, ' 6', '6 ', '1e400', ABSENT]],
  ['gt', '1e400', [], [6, '1e401', ABSENT]],
  ['gt', ['5'], [6], [5, ABSENT]],
  ['gt', ['5', '6'], [], [7, ABSENT]],
  ['exact', '1e21', [1e21, '1E21'], ['1e+21', ABSENT]],
  ['gt', 'many', [], [1, 'z', ABSENT]],
  ['between', [1, '3'], [1, 2, '3'], [0.9, 3.1, 'two', null, ABSENT]],
  ['between', [3, 1], [], [2, ABSENT]],
  ['between', [1, 2, 3], [], [2, ABSENT]],
  ['not_between', [1, 3], [0, 3.1, ABSENT], [1, 2, 'two', null]],
  ['not_between', [3, 1], [], [0, 5, ABSENT]],
  ['is_set', undefined, ['', 'x', null, false, 0], [ABSENT]],
  ['is_not_set', undefined, [ABSENT], ['', null, false, 0]],
  ['semver_eq', '1.2.0', ['1.2', 'v1.2.0', '1.2.0+build', '01.02.00'], ['1.2.1', '1.2.0-rc.1', 'x', '', null, '1.2.0.0', ABSENT]],
  ['semver_neq', '1.2.0', ['1.2.1', '1.2.0-rc.1'], ['1.2', 'x', null, ABSENT]],
  [
    'semver_gt',
    '1.2.3-beta.2',
    ['1.2.3-beta.11', '1.2.3', '1.2.3-rc', '1.2.3-beta.x'],
    ['1.2.3-beta.2', '1.2.3-alpha', '1.2.3-1', ABSENT],
  ],
  ['semver_gte', '1.10', ['1.10.0', '1.11', '2'], ['1.9.9', ABSENT]],
  ['semver_lt', '1.2.3', ['1.2.3-rc', '1.2', '0.9', '1.2.3-rc.1.2'], ['1.2.3', ABSENT]],
  ['semver_lte', 'v2', ['2.0.0', '1.9'], ['2.0.1', ABSENT]],
  ['semver_eq', 'latest', [], ['latest', '1', ABSENT]],
  ['semver_tilde', '1.2.3', ['1.2.3', '1.2.9', '1.2.4-rc', '1.3.0-rc'], ['1.2.2', '1.2.3-rc', '1.3.0', ABSENT]],
  ['semver_tilde', '~1.2', ['1.2.0', 'V1.2', ' v1.2.9 ', '~1.2'], ['1.3.0', ABSENT]],
  ['semver_caret', '1.2.3', ['1.2.3', '1.9', '2.0.0-rc'], ['1.2.2', '2', ABSENT]],
  ['semver_caret', '0.2.3', ['0.2.3', '0.2.9'], ['0.3.0', '0.2.2', ABSENT]],
  ['semver_caret', '0.0.3', ['0.0.3'], ['0.0.4', ABSENT]],
  ['semver_caret', '1.2.3-rc.1', ['1.2.3-rc.2', '1.2.3', '1.5', '1.5.0-rc'], ['1.2.3-beta', ABSENT]],
  ['semver_wildcard', '1.2.*', ['1.2', '1.2.9'], ['1.3', '1.1.9', ABSENT]],
  ['semver_wildcard', 'v1.*', ['1.0.0', '1.99'], ['2', '0.9', ABSENT]],
  ['semver_wildcard', '1.*.*', ['1.99'], ['2', ABSENT]],
  ['semver_wildcard', '1.*.3', [], ['1.2.3', ABSENT]],
  ['semver_wildcard', '1.2.3', ['1.2.3'], ['1.2.4', ABSENT]],
  ['semver_wildcard', '', [], ['1.2.3', ABSENT]],
  ['semver_wildcard', '1.2.3.*', ['1.2.3'], ['1.2.4', ABSENT]],
  ['semver_wildcard', '*', ['0', '9.9'], ['x', ABSENT]],
  ['semver_loose', '1.2.3', [], ['1.2.3', ABSENT]],
  [
    'is_date_before',
    '2026-01-02',
    ['2026-01-01T23:59:59Z', '2026-01-01', 1_767_000_000],
    ['2026-01-02', '2027-01-01', 'soon', true, null, ABSENT],
  ],
  [
    'is_date_after',
    '2026-01-02T10:00:00Z',
    ['2026-01-02T10:00:01Z', '2026-01-02T11:30:00+01:00', 1_800_000_000_000],
    ['2026-01-02T10:00:00Z', ABSENT],
  ],
  ['is_date_after', '2026-01-02T10:00:00+02:00', ['2026-01-02 08:00:01Z', '2026-01-02 08:01'], ['2026-01-02T08:00:00Z', ABSENT]],
  ['is_date_exact', '2026-01-02', ['2026-01-02', '2026-01-02T23:59:59Z'], ['2026-01-01T23:59:59Z', '2026-01-03', 'x', ABSENT]],
  ['is_date_exact', '2026-01-02T10:00:00Z', ['2026-01-02T12:00:00+02:00'], ['2026-01-02', ABSENT]],
  ['is_date_before', '2026-02-30', [], ['2020-01-01', ABSENT]],
  [
    'is_date_before',
    '2026-01-02T00:00:00+0100',
    ['2026-01-02 00:00:00+02', '2026-01-01t22:59:59.999999z', ' 2026-01-01 ', 0],
    ['2026-01-02', '1767000000', '2025-01-01T24:00:00Z', '2025-01-01T12:00:00+25:00', '2025-01-01T12:00:00.1234567891Z', ABSENT],
  ],
  ['is_date_after', 'yesterday', [], ['2030-01-01', ABSENT]],
  ['is_date_after', '-10000d', [], ['2030-01-01', ABSENT]],
  // 31 March 2026, noon
  ['is_date_after', '-1h', ['2026-03-31T11:00:01Z'], ['2026-03-31T11:00:00Z', ABSENT]],
  ['is_date_before', '2d', ['2026-03-29T11:59:59Z'], ['2026-03-29T12:00:00Z', ABSENT]],
  ['is_date_before', '-1w', ['2026-03-24T11:59:59Z'], ['2026-03-24T12:00:00Z', ABSENT]],
  ['is_date_before', '-1m', ['2026-02-28T11:59:59Z'], ['2026-02-28T12:00:00Z', ABSENT]],
  ['is_date_before', '-2m', ['2026-01-28T11:59:59Z'], ['2026-01-28T12:00:00Z', ABSENT]],
  ['is_date_after', '-1y', ['2025-03-31T12:00:01Z'], ['2025-03-31T12:00:00Z', ABSENT]],
  ['is_date_after', '-9999y', [], ['x', ABSENT]],
  ['is_date_exact', '-1d', ['2026-03-30T00:00:00Z', '2026-03-30T23:59:59Z'], ['2026-03-31T00:00:00Z', ABSENT]],
  ['sounds_like', 'x', [], ['x', ABSENT]],
  ['not_gt', 1, [], [0, 2, ABSENT]],
  ['eq', 1, [], [1, ABSENT]],
  ['constructor', 'x', [], ['x', ABSENT]],
  ['toString', 'x', [], ['x', ABSENT]],
  ['exact', null, [], ['null', null, ABSENT]],
  ['is_not', undefined, [], ['x', ABSENT]],
];

const matches = (operator: string, value: unknown, actual: unknown, environment: Partial<Environment> = {}) =>
  once(
    flagFor({ key: 'p', type: 'person', operator, value }),
    { personProperties: actual === ABSENT ? {} : { p: actual } },
    environment,
  ).value;

describe.each(TABLE)('%s %j', (operator, value, matching, others) => {
  test.each(matching.map((actual) => [actual]))('matches %o', (actual) => expect(matches(operator, value, actual)).toBe(true));
  test.each(others.map((actual) => [actual]))('does not match %o', (actual) =>
    expect(matches(operator, value, actual)).toBe(false),
  );
});

test('a condition without an operator is exact, and inherited names are not properties', () => {
  expect(once(flagFor({ key: 'p', value: 'x' }), { personProperties: { p: 'X' } }).value).toBe(true);
  expect(once(flagFor({ key: 'toString', operator: 'is_set' })).value).toBe(false);
  expect(once(flagFor({ key: '__proto__', operator: 'is_set' })).value).toBe(false);
});

describe('time zones', () => {
  const berlin = { timeZone: 'Europe/Berlin' };

  test('dates without a zone are in the zone of the project', () => {
    expect(matches('is_date_before', '2026-07-01', '2026-06-30T21:59:59Z', berlin)).toBe(true);
    expect(matches('is_date_before', '2026-07-01', '2026-06-30T22:00:00Z', berlin)).toBe(false);
    expect(matches('is_date_after', '2026-06-30T22:00:00Z', '2026-07-01 00:00:01', berlin)).toBe(true);
    expect(matches('is_date_after', '2026-06-30T22:00:00Z', '2026-07-01 00:00:00', berlin)).toBe(false);
    expect(matches('is_date_exact', '2026-07-01', '2026-06-30T22:30:00Z', berlin)).toBe(true);
  });

  test('months follow the local calendar across a change of the clocks', () => {
    // 31 March 14:00 in Berlin is 12:00 UTC; 28 February 14:00 there is 13:00 UTC
    expect(matches('is_date_before', '-1m', '2026-02-28T12:59:59Z', berlin)).toBe(true);
    expect(matches('is_date_before', '-1m', '2026-02-28T13:00:00Z', berlin)).toBe(false);
    // days have 24 hours
    expect(matches('is_date_before', '-3d', '2026-03-28T11:59:59Z', berlin)).toBe(true);
    expect(matches('is_date_before', '-3d', '2026-03-28T12:00:00Z', berlin)).toBe(false);
  });

  test('a skipped local time matches nothing, and a repeated one is the first', () => {
    expect(matches('is_date_after', '2026-03-29T02:30:00', '2030-01-01', berlin)).toBe(false);
    expect(matches('is_date_after', '2026-10-25T02:30:00', '2026-10-25T00:30:01Z', berlin)).toBe(true);
  });

  test('one compiled definition serves projects of several zones', () => {
    const flag = flagFor({ key: 'p', operator: 'is_date_before', value: '2026-07-01' });
    const at = { personProperties: { p: '2026-06-30T23:00:00Z' } };
    expect(once(flag, at, berlin).value).toBe(false);
    expect(once(flag, at, { timeZone: 'UTC' }).value).toBe(true);
  });

  test('an unknown zone affects only the flags that need it', () => {
    const result = once(
      flagFor({ key: 'p', operator: 'is_date_before', value: '2026-07-01' }),
      { personProperties: { p: NOW } },
      { timeZone: 'Mars/Base' },
    );
    expect(result).toMatchObject({ value: false, reason: 'no_condition_match', inconclusive: true });
  });
});

describe('regular expressions', () => {
  test('they are matched by the engine that the caller provides', () => {
    const received: unknown[] = [];
    const matchesRegex = (...question: unknown[]) => received.push(question) > 0;
    expect(matches('regex', 'x', 5, { matchesRegex })).toBe(true);
    expect(matches('not_regex', 'x', 'y', { matchesRegex })).toBe(false);
    expect(received).toEqual([
      ['x', '5'],
      ['x', 'y'],
    ]);
    for (const operator of ['regex', 'not_regex']) expect(matches(operator, 'x', 'x', { matchesRegex: () => null })).toBe(false);
  });

  test('their length is limited by default', () => {
    expect(matches('regex', 'x'.repeat(1001), 'x'.repeat(1001))).toBe(false);
    expect(matches('not_regex', 'y', 'x'.repeat(4001))).toBe(false);
  });
});
