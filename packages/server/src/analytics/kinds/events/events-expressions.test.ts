import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { validate } from '../../../http/validate.js';
import { ApiError } from '../../../kernel/errors.js';
import { eventRow, type TestEvents, testEvents } from '../../../testing/events.js';
import { querySchema } from '../../query.js';
import { runQuery } from '../../run.js';
import type { ListResult } from '../kind.js';

/*
 * Expressions of SQL as columns, conditions and orders of lists of events.
 */

let events: TestEvents;
const ANNA = '00000000-0000-4000-8000-0000000000aa';
const BERT = '00000000-0000-4000-8000-0000000000bb';
const NOW = Date.UTC(2024, 0, 16);
const at = (day: number, hour: number) => Date.UTC(2024, 0, day, hour);

beforeAll(async () => {
  events = await testEvents();
  await events.put('events', [
    eventRow(1, {
      event: 'bought',
      distinct_id: 'anna',
      person_id: ANNA,
      timestamp: at(14, 23),
      properties: { price: 2, 'sp ace': 'x', 'a-b': 1 },
    }),
    eventRow(2, {
      event: 'bought',
      distinct_id: 'anna',
      person_id: ANNA,
      timestamp: at(15, 1),
      properties: { price: '5', list: [1] },
    }),
    eventRow(3, { event: 'seen', distinct_id: 'bert', person_id: BERT, timestamp: at(15, 2), properties: { price: 7 } }),
    eventRow(4, { project_id: 2, event: 'foreign', timestamp: at(15, 2), properties: { price: 9 } }),
  ]);
  const person = { project_id: 1, is_identified: true, is_deleted: false, created_at: at(1, 0), version: 1 };
  await events.put('persons', [{ ...person, person_id: ANNA, properties: { email: 'anna@example.com' } }]);
});
afterAll(() => events.close());

const ask = async (query: object, timezone = 'UTC'): Promise<ListResult> => {
  const parsed = querySchema.parse({ kind: 'EventsQuery', after: 'all', ...query });
  const result = await runQuery(events.store, parsed, { projectId: 1, timezone, now: NOW });
  if (!('columns' in result)) throw new Error('not a list');
  return result as ListResult;
};
const rows = async (query: object, timezone = 'UTC') => (await ask(query, timezone)).results;

/** The field at fault, and why. */
async function refusal(query: object): Promise<[attr: string | null | undefined, why: string]> {
  const error = await (async () => {
    const read = validate(querySchema, { kind: 'EventsQuery', after: 'all', ...query });
    return runQuery(events.store, read, { projectId: 1, timezone: 'UTC', now: NOW });
  })().catch((thrown: unknown) => thrown);
  if (error instanceof ApiError) return [error.body.attr, error.body.detail];
  throw error;
}

describe('columns of events', () => {
  test.each<[string, unknown[]]>([
    ['person.id', [ANNA, ANNA, BERT]],
    ['properties.price * 2', [4, 10, 14]],
    ["concat(event, '-', distinct_id)", ['bought-anna', 'bought-anna', 'seen-bert']],
    ['toStartOfDay(timestamp)', ['2024-01-14T00:00:00Z', '2024-01-15T00:00:00Z', '2024-01-15T00:00:00Z']],
    ["if(event = 'seen', 1, 0) as is_seen", [0, 0, 1]],
    ['person.properties.email ?? distinct_id', ['anna@example.com', 'anna@example.com', 'bert']],
    ['properties.price', [2, '5', 7]],
    ['properties.sp ace', ['x', null, null]],
    ['properties.`sp ace`', ['x', null, null]],
    ['properties.a-b', [1, null, null]],
    ['event -- Event', ['bought', 'bought', 'seen']],
    ['person_id in (select id from persons)', [1, 1, 0]],
  ])('%s', async (column, values) => {
    const { columns, results, types } = await ask({ select: [column], orderBy: ['timestamp'] });
    expect([columns, results.map(([value]) => value)]).toEqual([[column], values]);
    expect(types).toEqual([expect.stringMatching(/./)]);
  });

  test('expressions can be combined with objects such as person', async () => {
    const { results } = await ask({
      select: ['*', 'properties.price + 1 as more', 'person_display_name -- Person'],
      orderBy: ['more desc'],
      limit: 2,
    });
    expect(results).toMatchObject([
      [{ event: 'seen', properties: { price: 7 } }, 8, { display_name: 'bert', id: BERT, distinct_id: 'bert' }],
      [{ event: 'bought', distinct_id: 'anna' }, 6, { display_name: 'anna@example.com', id: ANNA, distinct_id: 'anna' }],
    ]);
  });

  test('days begin in the time zone of the project', async () => {
    const select = ['toDate(timestamp)', 'count()'];
    expect(await rows({ select, orderBy: ['toDate(timestamp)'] }, 'Europe/Berlin')).toEqual([['2024-01-15', 3]]);
  });
});

describe('with an aggregate', () => {
  test('rows are grouped by the other columns, the highest number first', async () => {
    expect(await rows({ select: ['event', 'count()'] })).toEqual([
      ['bought', 2],
      ['seen', 1],
    ]);
    expect(await rows({ select: ['count()'] })).toEqual([[3]]);
    expect(await rows({ select: ['event', 'sum(properties.price) as total -- Total'] })).toEqual(
      [
        ['seen', 7],
        ['bought', 7],
      ].sort(),
    );
    expect(await rows({ select: ['toStartOfDay(timestamp) as day', 'count()'], orderBy: ['day'] })).toEqual([
      ['2024-01-14T00:00:00Z', 1],
      ['2024-01-15T00:00:00Z', 2],
    ]);
    expect(await rows({ select: ['person', 'count()'], where: ["event = 'bought'"] })).toMatchObject([
      [{ uuid: ANNA, properties: { email: 'anna@example.com' } }, 2],
    ]);
  });

  test('groups have pages', async () => {
    expect(await ask({ select: ['event', 'count()'], limit: 1 })).toMatchObject({ results: [['bought', 2]], hasMore: true });
    expect(await ask({ select: ['event', 'count()'], limit: 1, offset: 1 })).toMatchObject({
      results: [['seen', 1]],
      hasMore: false,
    });
  });
});

describe('conditions', () => {
  test.each<[object, number]>([
    [{ where: ['properties.price > 3'] }, 2],
    [{ where: ['properties.price > 3', "event = 'bought'"] }, 1],
    [{ where: ["event = 'bought' or properties.price = 7"] }, 3],
    [{ where: ['properties.price > 3'], event: 'seen' }, 1],
    [{ where: ['properties.price > 3'], properties: [{ key: 'email', type: 'person', operator: 'is_set' }] }, 1],
    [{ where: ['properties.price > 3'], personId: BERT }, 1],
    [{ where: ['1'], after: '2024-01-15', before: '2024-01-15T01:30:00Z' }, 1],
    [{ where: [] }, 3],
  ])('%j', async (query, count) => {
    expect(await rows({ select: ['event'], ...query })).toHaveLength(count);
  });

  test('conditions with an aggregate filter groups', async () => {
    expect(await rows({ select: ['event', 'count()'], where: ['count() > 1'] })).toEqual([['bought', 2]]);
  });
});

test.each<[object, string, string]>([
  [{ select: ['event', 'secrets + 1'] }, 'select__1', '"secrets" is not a column.'],
  [{ select: ['event', "file('/etc/passwd')"] }, 'select__1', 'The function "file" is not allowed.'],
  [{ select: ['count('] }, 'select__0', 'The query ends too early.'],
  [{ select: ['events.*'] }, 'select__0', '"events.*" is not a column.'],
  [{ select: ['event'], where: ['1; drop table events'] }, 'where__0', '";" is not allowed at position 2.'],
  [{ select: ['event'], where: ['project_id = 2'] }, 'where__0', '"project_id" is not a column.'],
  [{ select: ['event'], orderBy: ['event', 'sleep(3)'] }, 'orderBy__1', 'The function "sleep" is not allowed.'],
  [{ select: ['{filters}'] }, 'select__0', '{filters} has no value.'],
  [{ select: ['event', 'count()'], orderBy: ['timestamp'] }, 'query', 'not under aggregate function'],
])('%j is refused at %s', async (query, attr, why) => {
  const [field, message] = await refusal(query);
  expect(field).toBe(attr);
  expect(message).toContain(why);
});
