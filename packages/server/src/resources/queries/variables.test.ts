import { eventMaker } from '@tidemark/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../../testing/service.js';

let service: TestService;
let project: string;
/** Ids of the variables. */
let ids: Record<string, string>;
beforeAll(async () => {
  service = await startTestService();
  project = `/api/projects/${service.projectId}`;
  const event = eventMaker(1);
  const bought = (country: string, amount: number, at: string) =>
    event({ event: 'bought', distinct_id: country, properties: { country, amount }, timestamp: at });
  const batch = [
    bought('DE', 30, '2026-01-01T10:00:00Z'),
    bought('DE', 5, '2026-01-02T10:00:00Z'),
    bought('FR', 12, '2026-01-03T10:00:00Z'),
  ];
  expect((await service.call('POST', '/batch/', { body: { api_key: service.projectKey, batch } })).statusCode).toBe(200);
  const make = async (body: object) => (await service.call('POST', `${project}/insight_variables/`, { body })).json().id;
  ids = {
    country: await make({ name: 'Country', type: 'List', values: ['DE', 'FR'], default_value: 'DE' }),
    least: await make({ name: 'Least', type: 'Number', default_value: 10 }),
    since: await make({ name: 'Since', type: 'Date', default_value: '2026-01-02' }),
    rows: await make({ name: 'Rows', type: 'Number', default_value: 1 }),
    empty: await make({ name: 'Empty', type: 'String' }),
  };
});
afterAll(() => service.close());

const ask = (query: string, fields: object = {}, rest: object = {}) =>
  service.call('POST', `${project}/query/`, { body: { query: { kind: 'HogQLQuery', query, ...fields }, ...rest } });
const results = async (...asked: Parameters<typeof ask>) => {
  const answer = await ask(...asked);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json().results;
};
const SALES = "select count() from events where event = 'bought' and properties.country = {variables.country}";

test('a variable that the query gives no value has its default, listed or not', async () => {
  expect(await results(SALES)).toEqual([[2]]);
  expect(
    await results(SALES, { variables: { [ids['country'] ?? '']: { code_name: 'country', variableId: ids['country'] } } }),
  ).toEqual([[2]]);
  expect(await results(SALES, { variables: { x: { code_name: 'country', value: 'FR' } } })).toEqual([[1]]);
  expect(await results(SALES, { variables: { x: { code_name: 'country', value: 'FR', isNull: true } } })).toEqual([[0]]);
  expect(await results('select {variables.empty}')).toEqual([[null]]);
});

test('numbers and dates are compared as such, and a number may be a limit', async () => {
  expect(
    await results("select count() from events where event = 'bought' and toFloat(properties.amount) >= {variables.least}"),
  ).toEqual([[2]]);
  expect(await results("select count() from events where event = 'bought' and timestamp >= {variables.since}")).toEqual([[2]]);
  expect(
    await results("select properties.amount from events where event = 'bought' order by timestamp limit {variables.rows}"),
  ).toHaveLength(1);
});

test('an override of the request or of a dashboard wins, for variables that the SQL alone names, too', async () => {
  const override = { [ids['country'] ?? '']: { code_name: 'country', variableId: ids['country'], value: 'FR' } };
  expect(await results(SALES, {}, { variables_override: override })).toEqual([[1]]);
  const query = { kind: 'DataVisualizationNode', source: { kind: 'HogQLQuery', query: SALES } };
  const dashboard = (await service.call('POST', `${project}/dashboards/`, { body: { name: 'Board' } })).json().id;
  const insight = (
    await service.call('POST', `${project}/insights/`, { body: { name: 'Sales', query, dashboards: [dashboard] } })
  ).json().id;
  const shown = async (parameters = '') => {
    const answer = await service.call(
      'GET',
      `${project}/insights/${insight}/?refresh=blocking&from_dashboard=${dashboard}${parameters}`,
    );
    return answer.json().result;
  };
  expect(await shown()).toEqual([[2]]);
  expect(await shown(`&variables_override=${encodeURIComponent(JSON.stringify(override))}`)).toEqual([[1]]);
  await service.call('PATCH', `${project}/dashboards/${dashboard}/`, { body: { variables: override } });
  expect(await shown()).toEqual([[1]]);
});

test('a value is bound, never a part of the text of the statement', async () => {
  for (const value of ["x' or 1 = 1 --", "') union all select 1 --", '{variables.least}', '\\']) {
    expect(await results(SALES, { variables: { x: { code_name: 'country', value } } })).toEqual([[0]]);
    expect(await results('select {variables.country}', { variables: { x: { code_name: 'country', value } } })).toEqual([[value]]);
  }
});

test('a new default changes the answer at once', async () => {
  expect(await results('select {variables.least}')).toEqual([[10]]);
  await service.call('PATCH', `${project}/insight_variables/${ids['least']}/`, { body: { default_value: 11 } });
  expect(await results('select {variables.least}')).toEqual([[11]]);
});

test('a variable that the project does not have is refused, and one of another project is none', async () => {
  const refusal = async (query: string) => {
    const answer = await ask(query);
    const { code, detail, attr } = answer.json();
    return [answer.statusCode, code, detail, attr];
  };
  expect(await refusal('select {variables.nothing}')).toEqual([
    400,
    'invalid_input',
    '{variables.nothing} has no value.',
    'query__query',
  ]);
  const other = (await service.call('POST', '/api/projects/', { body: { name: 'Other' } })).json().id;
  const body = { query: { kind: 'HogQLQuery', query: 'select {variables.country}' } };
  const answer = await service.call('POST', `/api/projects/${other}/query/`, { body });
  expect([answer.statusCode, answer.json().detail]).toEqual([400, '{variables.country} has no value.']);
});
