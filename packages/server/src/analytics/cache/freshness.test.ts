import { expect, test } from 'vitest';
import { freshnessOf, stalenessOf } from './freshness.js';

const NOW = 1_000_000;
const decide = (age: number, cost = 100, milliseconds = 10_000, { isExact = false, isComing = false } = {}) =>
  freshnessOf({ cost, completeUntil: NOW - age }, { milliseconds, isExact }, NOW, isComing);

const USED = { isUsable: true, renewIn: null };
const COMPUTED = { isUsable: false, renewIn: null };
const renewedIn = (milliseconds: number) => ({ isUsable: true, renewIn: milliseconds });

test.each([
  ['a result that was cheap is used for some milliseconds', decide(99, 2.5), USED],
  ['a result that was cheap is soon computed again', decide(100, 2.5), COMPUTED],
  ['a result that was cheap is computed again after a second', decide(1_000, 49), COMPUTED],
  ['a result that was cheap is not older than it may be', decide(300, 49, 300), COMPUTED],
  ['a young result is used', decide(4_999), USED],
  ['a result that somebody still looks at is renewed before it is too old', decide(5_000), renewedIn(4_100)],
  ['a result that should have been renewed is renewed at once', decide(9_200), renewedIn(0)],
  ['a result that takes long is renewed earlier', decide(5_200, 4_000), renewedIn(0)],
  ['a result that is too old is computed again', decide(10_000), COMPUTED],
  ['a result that takes three seconds may be older: it would take too much of a core', decide(59_900, 3_000), renewedIn(0)],
  ['a result that takes three seconds is computed again when it is as old as it may be', decide(60_000, 3_000), COMPUTED],
  ['a result that takes less is not older than it may be', decide(10_000, 2_900), COMPUTED],
  [
    'a request that says how old results may be gets none that is older, whatever it takes',
    decide(10_000, 1_000, 10_000, { isExact: true }),
    COMPUTED,
  ],
  ['a costly result is used while a new one is coming', decide(120_000, 1_000, 10_000, { isComing: true }), renewedIn(0)],
  ['another result is not', decide(14_000, 600, 10_000, { isComing: true }), COMPUTED],
  ['no result is older than ten minutes', decide(600_000, 60_000, 10_000, { isComing: true }), COMPUTED],
  ['without staleness a result that takes long is computed again, too', decide(0, 5_000, 0), COMPUTED],
  ['without staleness every result is too old', decide(0, 100, 0), COMPUTED],
  ['a result from after the clock was set back is computed again', decide(-1), COMPUTED],
])('%s', (_, decision, expected) => {
  expect(decision).toEqual(expected);
});

test.each([
  ['TrendsQuery', { milliseconds: 5_000, isExact: false }],
  ['FunnelsQuery', { milliseconds: 5_000, isExact: false }],
  ['EventsQuery', { milliseconds: 0, isExact: true }],
  ['ActorsQuery', { milliseconds: 0, isExact: true }],
  ['HogQLQuery', { milliseconds: 0, isExact: true }],
] as const)('the staleness of %s', (kind, expected) => {
  expect(stalenessOf({ kind }, { milliseconds: 5_000, isExact: false })).toEqual(expected);
});
