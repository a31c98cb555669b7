import { expect, test } from 'vitest';
import { freshnessOf, stalenessOf } from './freshness.js';

const NOW = 1_000_000;
const decide = (age: number, cost = 100, staleness = 10_000) => freshnessOf({ cost, completeUntil: NOW - age }, staleness, NOW);

test.each([
  ['a result that was cheap is used for some milliseconds', decide(99, 2.5), 'use'],
  ['a result that was cheap is soon computed again', decide(100, 2.5), 'compute'],
  ['a result that was cheap is computed again after a second', decide(1_000, 49), 'compute'],
  ['a result that was cheap is not older than it may be', decide(300, 49, 300), 'compute'],
  ['a young result is used', decide(1_000), 'use'],
  ['a result is renewed before it is too old', decide(6_900), 'renew'],
  ['a result that takes long is renewed earlier', decide(3_000, 4_000), 'renew'],
  ['a result that is too old is computed again', decide(10_000), 'compute'],
  ['without staleness every result is too old', decide(0, 100, 0), 'compute'],
  ['a result from after the clock was set back is computed again', decide(-1), 'compute'],
])('%s', (_, decision, expected) => {
  expect(decision).toBe(expected);
});

test.each([
  ['TrendsQuery', 5_000],
  ['FunnelsQuery', 5_000],
  ['EventsQuery', 0],
  ['ActorsQuery', 0],
  ['HogQLQuery', 0],
] as const)('the staleness of %s', (kind, expected) => {
  expect(stalenessOf({ kind }, 5_000)).toBe(expected);
});
