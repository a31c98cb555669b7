import { expect, test } from 'vitest';
import { SCHEMAS } from '../../analytics/query.js';
import { applyOverrides } from './index.js';

const source = {
  kind: 'TrendsQuery',
  series: [],
  dateRange: { date_from: '-30d', date_to: '-1d' },
  properties: [{ key: 'own' }],
};
const over = (query: object, filters: object, variables: object = {}) => {
  const parsed = (value: object) => JSON.parse(JSON.stringify(value));
  return applyOverrides(parsed(query), { filters: parsed(filters), variables: parsed(variables) });
};

test('without filters the query is unchanged', () => {
  expect(over({ kind: 'InsightVizNode', source }, {})).toEqual({ kind: 'InsightVizNode', source });
});

test('date_from replaces both dates, date_to only the end', () => {
  expect(over(source, { date_from: '-7d' })).toMatchObject({ dateRange: { date_from: '-7d', date_to: null } });
  expect(over(source, { date_to: '-2d' })).toMatchObject({ dateRange: { date_from: '-30d', date_to: '-2d' } });
  expect(over({ kind: 'EventsQuery' }, { date_from: '-7d' })).toEqual({ kind: 'EventsQuery', after: '-7d' });
});

test('properties apply in addition to those of the query, in each form the query may have them', () => {
  const properties = [{ key: 'laid' }];
  expect(over(source, { properties })).toMatchObject({ properties: [{ key: 'own' }, { key: 'laid' }] });
  const group = { type: 'OR', values: [] };
  expect(over({ ...source, properties: group }, { properties })).toMatchObject({
    properties: { type: 'AND', values: [group, { type: 'AND', values: properties }] },
  });
});

test('a breakdown replaces the breakdown of the kinds of queries that have the field, and of no others', () => {
  const breakdown_filter = { breakdown: 'plan', breakdown_type: 'event' };
  const kinds = SCHEMAS.map((schema) => ({ kind: schema.in.shape.kind.value, takesIt: 'breakdownFilter' in schema.in.shape }));
  expect(kinds.filter(({ takesIt }) => takesIt).length).toBeGreaterThan(2);
  for (const { kind, takesIt } of kinds) {
    const own = { kind, breakdownFilter: { breakdown: 'own' } };
    expect(over(own, { breakdown_filter })).toEqual(takesIt ? { kind, breakdownFilter: breakdown_filter } : own);
  }
  const histogram = { kind: 'FunnelsQuery', funnelsFilter: { funnelVizType: 'time_to_convert' } };
  expect(over(histogram, { breakdown_filter })).toEqual(histogram);
});

test('variables get their values in the whole query', () => {
  const query = { kind: 'DataVisualizationNode', source: { kind: 'HogQLQuery', variables: { a: { code_name: 'x', value: 1 } } } };
  const { source } = over(query, {}, { a: { value: 2 }, b: { value: 3 } });
  expect(source).toMatchObject({ kind: 'HogQLQuery' });
  expect(Object(source).variables).toEqual({ a: { code_name: 'x', value: 2 } });
});

test('an override gives values to variables that the SQL alone names, and by their names to those with an older id', () => {
  const sql = { kind: 'HogQLQuery', query: 'select { variables.country }, {variables.plan}' };
  const country = { code_name: 'country', value: 'FR' };
  expect(over(sql, {}, { new: country, other: { code_name: 'unused', value: 1 }, bare: { value: 2 } })).toEqual({
    ...sql,
    variables: { new: country },
  });
  const listed = { ...sql, variables: { old: { code_name: 'country', value: 'DE' } } };
  expect(over(listed, {}, { new: country })).toEqual({ ...sql, variables: { old: country } });
  expect(over({ ...sql, kind: 'EventsQuery' }, {}, { new: country })).toEqual({ ...sql, kind: 'EventsQuery' });
});
