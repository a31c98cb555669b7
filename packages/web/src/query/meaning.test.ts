import { expect, test } from 'vitest';
import { eventsBehind, eventsIn } from './events-behind.js';
import { meaningOf } from './meaning.js';
import { KINDS, newQuestion, type Question } from './question.js';

test('every kind of question says what its numbers mean', () => {
  const texts = KINDS.map(({ kind }) => meaningOf(newQuestion(kind))[0] ?? '');
  expect(new Set(texts).size).toBe(KINDS.length);
  for (const text of texts) expect(text).toMatch(/^[A-Z].{40,}\.$/);
});

test.each([
  [{ math: 'total' }, 'It counts events.'],
  [{ math: 'dau' }, 'It counts different people; who did it twice counts once.'],
  [{ math: 'sum', math_property: 'amount' }, 'It counts the sum of amount; events without a number do not count.'],
  [
    { math: 'p90', math_property: 'amount' },
    'It counts the value that 90 % do not exceed, of amount; events without a number do not count.',
  ],
  [
    { math: 'avg_count_per_actor' },
    'It counts the average number of events of each person; people without an event do not count.',
  ],
])('%j', (fields, text) => {
  const question: Question = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'bought', ...fields }] };
  expect(meaningOf(question)).toContain(text);
});

test('settings that change numbers are named', () => {
  const question: Question = {
    kind: 'FunnelsQuery',
    funnelsFilter: { funnelWindowInterval: 1, funnelWindowIntervalUnit: 'hour', funnelOrderType: 'strict' },
    filterTestAccounts: true,
    samplingFactor: 0.1,
  };
  const text = meaningOf(question).join(' ');
  expect(text).toContain('within 1 hour of the first step');
  expect(text).toContain('No other event of the same person');
  expect(text).toContain('Events of test accounts are left out.');
  expect(text).toContain('Counted from 10 % of the people');
});

test('the events behind an answer are those that its question is about', () => {
  const named = (question: Question) => eventsBehind(question)?.series?.map(({ event }) => event);
  const step = (event: string | null) => ({ kind: 'EventsNode' as const, event, math: 'dau' });
  expect(named({ kind: 'FunnelsQuery', series: [step('a'), step('b'), step('a')] })).toEqual(['a', 'b']);
  expect(named({ kind: 'TrendsQuery', series: [step('a'), step(null)] })).toEqual([null]);
  expect(named(newQuestion('RetentionQuery'))).toEqual(['$pageview']);
  expect(named(newQuestion('PathsQuery'))).toEqual(['$pageview']);
  expect(named({ kind: 'PathsQuery' })).toEqual([null]);
  expect(eventsBehind(newQuestion('HogQLQuery'))).toBeNull();
  const limited: Question = { ...newQuestion('TrendsQuery'), filterTestAccounts: true, properties: [] };
  expect(eventsBehind(limited)).toMatchObject({ dateRange: limited.dateRange, filterTestAccounts: true, properties: [] });
  expect(eventsIn([{ aggregated_value: 3 }, { aggregated_value: 4 }])).toBe(7);
});
