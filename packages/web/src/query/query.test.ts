import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wrapQuestion } from '../data/insights.js';
import { filterFromText, filterToText, valueLabel } from './filter-text.js';
import {
  breakdownsOf,
  changeKind,
  type Filter,
  KINDS,
  newQuestion,
  seriesLetter,
  unwrapQuestion,
  withBreakdowns,
} from './question.js';

test('a filter in an address is readable', () => {
  const filter: Filter = { type: 'person', key: 'plan', operator: 'exact', value: ['pro', 'team'] };
  expect(filterToText(filter)).toBe('p:plan,exact,*,pro,team');
});

const text = fc.string({ unit: fc.constantFrom('a', ',', '~', '#', '*', ':', ' ', 'é', '\n') });
const filters = fc.record({
  type: fc.constantFrom<Filter['type'][]>('event', 'person', 'cohort', 'hogql'),
  key: text,
  operator: fc.constantFrom('exact', 'is_not', 'is_set'),
  value: fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null), fc.array(fc.oneof(text, fc.integer()))),
});

test('any filter is read from its address as it was', () => {
  fc.assert(fc.property(filters, (filter) => void expect(filterFromText(filterToText(filter))).toEqual(filter)));
});

test('a text that is no filter is none', () => {
  for (const broken of ['', 'plan', 'plan,exact', 'z:plan,exact', ':,', 'p:']) expect(filterFromText(broken)).toBeNull();
});

test('a question keeps its events, dates and filters when its kind changes', () => {
  const trends = { ...newQuestion('TrendsQuery'), properties: [{ type: 'event' as const, key: 'plan', value: 'pro' }] };
  for (const { kind } of KINDS.filter((one) => one.kind !== 'HogQLQuery')) {
    const changed = changeKind(trends, kind);
    expect([changed.kind, changed.properties, changed.dateRange]).toEqual([kind, trends.properties, trends.dateRange]);
  }
  expect(changeKind(trends, 'FunnelsQuery').series?.map(({ math }) => math)).toEqual([undefined, undefined]);
});

test('a question is found in the node of an insight, and other nodes are none', () => {
  const question = newQuestion('RetentionQuery');
  expect(unwrapQuestion(wrapQuestion(question))).toBe(question);
  for (const other of [null, 'x', {}, { kind: 'DataTableNode', source: { kind: 'EventsQuery' } }])
    expect(unwrapQuestion(other)).toBeNull();
});

test('series have letters', () => {
  expect([0, 25, 26, 27].map(seriesLetter)).toEqual(['A', 'Z', 'AA', 'AB']);
});

test('a chip says how many values it has', () => {
  expect([valueLabel(['a']), valueLabel(['a', 'b']), valueLabel(''), valueLabel(3)]).toEqual(['a', 'any of 2', '…', '3']);
});

test('a breakdown of the older form is shown, and written in the form of today', () => {
  const old = { breakdown: '$browser', breakdown_type: 'person', breakdown_limit: 5, breakdown_hide_other_aggregation: true };
  expect(breakdownsOf(old)).toEqual([{ property: '$browser', type: 'person' }]);
  const plan = { property: 'plan', type: 'event' };
  expect(withBreakdowns(old, [...breakdownsOf(old), plan])).toEqual({
    breakdowns: [{ property: '$browser', type: 'person' }, plan],
    breakdown_limit: 5,
    breakdown_hide_other_aggregation: true,
  });
  expect(withBreakdowns(old, [])).toBeNull();
  expect(breakdownsOf({ breakdown: ['a', 'b'] })).toMatchObject([{ property: 'a' }, { property: 'b' }]);
  expect(breakdownsOf({ breakdowns: [plan] })).toEqual([plan]);
  expect(breakdownsOf(null)).toEqual([]);
});
