import { expect, test } from 'vitest';
import { laidOver } from './index.js';

const source = {
  kind: 'TrendsQuery',
  series: [],
  dateRange: { date_from: '-30d', date_to: '-1d' },
  properties: [{ key: 'own' }],
};
const over = (query: object, filters: object, variables: object = {}) => {
  const parsed = (value: object) => JSON.parse(JSON.stringify(value));
  return laidOver(parsed(query), { filters: parsed(filters), variables: parsed(variables) });
};

test('without filters nothing changes', () => {
  expect(over({ kind: 'InsightVizNode', source }, {})).toEqual({ kind: 'InsightVizNode', source });
});

test('a beginning replaces both dates, an end only the end', () => {
  expect(over(source, { date_from: '-7d' })).toMatchObject({ dateRange: { date_from: '-7d', date_to: null } });
  expect(over(source, { date_to: '-2d' })).toMatchObject({ dateRange: { date_from: '-30d', date_to: '-2d' } });
  expect(over({ kind: 'EventsQuery' }, { date_from: '-7d' })).toEqual({ kind: 'EventsQuery', after: '-7d' });
});

test('properties must hold besides those of the query, however it has them', () => {
  const properties = [{ key: 'laid' }];
  expect(over(source, { properties })).toMatchObject({ properties: [{ key: 'own' }, { key: 'laid' }] });
  const group = { type: 'OR', values: [] };
  expect(over({ ...source, properties: group }, { properties })).toMatchObject({
    properties: { type: 'AND', values: [group, { type: 'AND', values: properties }] },
  });
});

test('a breakdown replaces that of queries which can be broken down', () => {
  const breakdown_filter = { breakdown: 'plan', breakdown_type: 'event' };
  expect(over(source, { breakdown_filter })).toMatchObject({ breakdownFilter: breakdown_filter });
  expect(over({ kind: 'RetentionQuery' }, { breakdown_filter })).toEqual({ kind: 'RetentionQuery' });
});

test('variables get their values where the query has them', () => {
  const query = { kind: 'DataVisualizationNode', source: { kind: 'HogQLQuery', variables: { a: { code_name: 'x', value: 1 } } } };
  const { source } = over(query, {}, { a: { value: 2 }, b: { value: 3 } });
  expect(source).toMatchObject({ kind: 'HogQLQuery' });
  expect(Object(source).variables).toEqual({ a: { code_name: 'x', value: 2 } });
});
