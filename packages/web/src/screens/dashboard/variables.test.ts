import { expect, test } from 'vitest';
import type { Tile } from '../../data/dashboards.js';
import type { Variable } from '../../data/variables.js';
import { overridesOf, readOverrides, readValue, storedValue, usedVariables, withValue } from './variables.js';

const variable = (code_name: string, type: Variable['type'], default_value: Variable['default_value'] = null): Variable => ({
  id: `id-${code_name}`,
  name: code_name,
  code_name,
  type,
  default_value,
  values: null,
  created_by: null,
  created_at: '2026-01-01T00:00:00Z',
});
const [country, least, tests] = [variable('country', 'String', 'DE'), variable('least', 'Number'), variable('tests', 'Boolean')];
const tile = (query: string, kind = 'HogQLQuery') =>
  ({ insight: { query: { kind: 'DataVisualizationNode', source: { kind, query } } } }) as unknown as Tile;

test('the variables that the SQL of tiles names are shown, once each', () => {
  const tiles = [
    tile('select {variables.least}, { variables . country }'),
    tile('select {variables.least}'),
    { text: {} } as Tile,
  ];
  expect(usedVariables(tiles, [country, least, tests])).toEqual([country, least]);
  expect(usedVariables([tile('select {variables.least}', 'EventsQuery')], [least])).toEqual([]);
});

test('values of an address have the types of their variables; others are left out', () => {
  const texts = ['country=a=b', 'least=1.5', 'tests=false', 'unknown=1'];
  expect(readOverrides(texts, [country, least, tests])).toEqual({
    'id-country': { code_name: 'country', variableId: 'id-country', value: 'a=b' },
    'id-least': { code_name: 'least', variableId: 'id-least', value: 1.5 },
    'id-tests': { code_name: 'tests', variableId: 'id-tests', value: false },
  });
  expect(readOverrides(['least=many', 'tests=perhaps'], [least, tests])).toEqual({});
  expect([readValue('Date', '2026-01-31'), readValue('Date', 'soon'), readValue('Number', ' ')]).toEqual([
    '2026-01-31',
    null,
    null,
  ]);
});

test('a value replaces the one before in the address, and null takes it out', () => {
  expect(withValue(['least=1', 'country=FR'], least, 2)).toEqual(['country=FR', 'least=2']);
  expect(withValue(['least=1', 'country=FR'], least, null)).toEqual(['country=FR']);
});

test('the stored value of a dashboard wins over the default, also under an older id', () => {
  expect(storedValue({}, country)).toBe('DE');
  expect(storedValue({ 'id-country': { value: 'FR' } }, country)).toBe('FR');
  expect(storedValue({ old: { code_name: 'country', value: null } }, country)).toBe(null);
});

test('a tile gets the values of the variables that it names alone', () => {
  const overrides = readOverrides(['country=FR', 'least=2'], [country, least]);
  expect(overridesOf(tile('select {variables.least}'), [country, least], overrides)).toEqual({
    'id-least': overrides['id-least'],
  });
  expect(overridesOf({ text: {} } as Tile, [country, least], overrides)).toEqual({});
});
