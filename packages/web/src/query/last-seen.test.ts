import { expect, test } from 'vitest';
import { absenceOf, neededEvents } from './last-seen.js';
import { newQuestion } from './question.js';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 10, 29, 12);
const absence = (from: string, age: number, to: string | null = null) => absenceOf({ from, to }, NOW - age * DAY, '3 Sep', NOW);

test('an event before the dates leads to the shortest dates that have it', () => {
  expect(absence('-7d', 20)).toEqual({
    cause: 'The last one was on 3 Sep.',
    longer: { range: { from: '-30d', to: null }, label: 'Show last 30 days' },
  });
  expect(absence('-30d', 87).longer?.label).toBe('Show last 90 days');
  // the first day of a range may be a part of it
  expect(absence('-30d', 89.5).longer?.label).toBe('Show last 180 days');
  expect(absence('-30d', 400).longer?.label).toBe('Show all time');
  expect(absence('2026-11-20', 1, '2026-11-21').longer?.label).toBe('Show last 7 days');
  expect(absenceOf(null, NOW - DAY, 'Sat', NOW).longer?.label).toBe('Show last 7 days');
});

test('an event within the dates is one that the filters leave out', () => {
  for (const [from, age] of [
    ['-30d', 3],
    ['all', 4_000],
    ['-1y', 200],
    ['-24h', 0.5],
  ] as const)
    expect(absence(from, age)).toEqual({ cause: 'The last one was on 3 Sep, but not with these filters.', longer: null });
});

test('the events that a question needs are all of its series, and of a funnel and retention the first', () => {
  const buy = { kind: 'EventsNode' as const, event: 'buy' };
  const see = { kind: 'EventsNode' as const, event: 'see' };
  const any = { kind: 'EventsNode' as const, event: null };
  const action = { kind: 'ActionsNode' as const, id: 3 };
  expect(neededEvents({ kind: 'TrendsQuery', series: [buy, see, buy] })).toEqual(['buy', 'see']);
  expect(neededEvents({ kind: 'LifecycleQuery', series: [any] })).toEqual([null]);
  expect(neededEvents({ kind: 'FunnelsQuery', series: [see, action] })).toEqual(['see']);
  expect(neededEvents({ kind: 'TrendsQuery', series: [see, action] })).toEqual([]);
  expect(neededEvents(newQuestion('RetentionQuery', buy))).toEqual(['buy']);
  expect(neededEvents(newQuestion('PathsQuery'))).toEqual([]);
});
