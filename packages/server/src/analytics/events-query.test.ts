import { processorMs } from '@tidemark/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { validate } from '../http/validate.js';
import { ApiError } from '../kernel/errors.js';
import { eventRow, type TestEvents, testEvents } from '../testing/events.js';
import type { ListResult } from './kinds/kind.js';
import { querySchema } from './query.js';
import { runQuery } from './run.js';

let events: TestEvents;
const NOW = Date.UTC(2024, 0, 15, 18);
const ANNA = '00000000-0000-4000-8000-0000000000aa';
const PLAIN = '00000000-0000-4000-8000-000000000abc';
const BERT = '00000000-0000-4000-8000-0000000000bb';

const SENT = {
  a: 1,
  f: 1.5,
  b: true,
  n: null,
  s: 'text',
  list: [1, 'x', null, { z: 1 }],
  deep: { x: { y: [1] } },
  'a.b': 2,
  'sp ace': 3,
  '😀': 4,
  'q"uo\'te`': 5,
  url: 'https://example.com/a',
  urls: ['https://example.com/a'],
  date: '2024-01-01',
  time: '2024-01-01T00:00:00Z',
  big: 2 ** 60,
  empty: [],
  none: {},
};

beforeAll(async () => {
  events = await testEvents();
  await events.put('events', [
    eventRow(1, { properties: SENT, distinct_id: 'anna', person_id: ANNA, group_0: 'acme', elements_chain: 'a:x' }),
    eventRow(2, { event: 'old', distinct_id: 'anon', person_id: BERT, timestamp: Date.UTC(2023, 0, 1) }),
    eventRow(3, { project_id: 2, event: 'foreign' }),
  ]);
  const version = (n: number) => ({ version: n });
  await events.put('person_overrides', [
    { project_id: 1, distinct_id: 'anon', person_id: BERT, ...version(1) },
    { project_id: 2, distinct_id: 'anna', person_id: BERT, ...version(9) },
  ]);
  await events.put('person_overrides', [{ project_id: 1, distinct_id: 'anon', person_id: ANNA, ...version(2) }]);
  const person = {
    project_id: 1,
    person_id: ANNA,
    is_identified: true,
    is_deleted: false,
    created_at: Date.UTC(2023, 0, 1, 0, 0, 1),
  };
  await events.put('persons', [{ ...person, properties: { email: 'old@example.com' }, ...version(1) }]);
  await events.put('persons', [{ ...person, properties: { email: 'anna@example.com', o: { p: 1 } }, ...version(2) }]);
  await events.put('groups', [
    { project_id: 1, group_type_index: 0, group_key: 'acme', properties: { plan: 'pro' }, created_at: 0, ...version(1) },
    { project_id: 1, group_type_index: 1, group_key: 'acme', properties: { plan: 'wrong' }, created_at: 0, ...version(1) },
  ]);
});
afterAll(() => events.close());

async function ask(query: object, projectId = 1): Promise<ListResult> {
  const parsed = validate(querySchema, { kind: 'EventsQuery', ...query });
  const result = await runQuery(events.store, parsed, { projectId, timezone: 'UTC', now: NOW });
  if (!('columns' in result) || 'hogql' in result) throw new Error('not a list of events');
  return result;
}

const column = async (select: string, query: object = {}) =>
  (await ask({ select: [select], ...query })).results.map(([value]) => value);

describe('columns', () => {
  test('an event is returned as it was sent, except for nulls and empty objects', async () => {
    const { n: _null, none: _empty, ...stored } = SENT;
    const { results, columns, types } = await ask({ select: ['*'] });
    expect({ columns, types }).toEqual({ columns: ['*'], types: ['JSON'] });
    expect(results).toEqual([
      [
        {
          uuid: '00000000-0000-4000-8000-000000000001',
          event: 'thing done',
          properties: stored,
          timestamp: '2024-01-15T12:00:00Z',
          team_id: 1,
          distinct_id: 'anna',
          elements_chain: 'a:x',
          created_at: '2024-01-15T12:00:00Z',
          person_id: ANNA,
          person_mode: 'full',
          $group_0: 'acme',
          $group_1: '',
          $group_2: '',
          $group_3: '',
          $group_4: '',
        },
      ],
    ]);
  });

  test.each(Object.entries(SENT))('properties.%s has its type', async (name, value) => {
    const absent = value === null || JSON.stringify(value) === '{}';
    expect(await column(`properties.${name}`)).toEqual([absent ? null : value]);
  });

  test('a name can be quoted with backticks, and a path leads into objects', async () => {
    expect(await column('properties.`sp ace`')).toEqual([3]);
    expect(await column('properties.deep.x.y')).toEqual([[1]]);
    expect(await column('properties.deep.x')).toEqual([{ y: [1] }]);
    expect(await column('properties.a.b')).toEqual([2]);
    expect(await column('properties.nothing')).toEqual([null]);
  });

  test('persons and groups have their newest properties', async () => {
    expect(await column('person.properties.email')).toEqual(['anna@example.com']);
    expect(await column('person.properties.o')).toEqual([{ p: 1 }]);
    expect(await column('group_0.properties.plan')).toEqual(['pro']);
    expect(await column('$group_0')).toEqual(['acme']);
    expect(await column('person')).toEqual([
      {
        uuid: ANNA,
        distinct_id: 'anna',
        properties: { email: 'anna@example.com', o: { p: 1 } },
        created_at: '2023-01-01T00:00:01Z',
      },
    ]);
  });

  test('events from before a merge have the merged person, who may have no profile', async () => {
    expect(await column('person_id', { event: 'old', after: 'all' })).toEqual([ANNA]);
    expect(await column('uuid', { personId: ANNA, after: 'all' })).toHaveLength(2);
    expect(await column('uuid', { personId: BERT, after: 'all' })).toEqual([]);
    expect(await column('person', { after: 'all' })).toHaveLength(2);
    const [foreign] = (await ask({ select: ['person'] }, 2)).results;
    expect(foreign).toEqual([{ uuid: PLAIN, distinct_id: 'someone', properties: {}, created_at: null }]);
  });
});

describe('rows', () => {
  test('the default is the last 24 hours', async () => {
    expect(await column('event')).toEqual(['thing done']);
    expect(await column('event', { after: 'all' })).toEqual(['thing done', 'old']);
    expect(await column('event', { after: 'all', before: '2023-01-02' })).toEqual(['old']);
    expect(await column('event', { after: '2022-12-31T23:59:59Z', before: '2023-01-01T00:00:00.001Z' })).toEqual(['old']);
    expect(await column('event', { after: '-5h' })).toEqual([]);
    expect(await column('event', { after: '-7h' })).toEqual(['thing done']);
  });

  test('hasMore is true if there is a next page', async () => {
    const pages = [0, 1, 2].map((offset) => ask({ select: ['event'], after: 'all', limit: 1, offset }));
    const [first, second, third] = await Promise.all(pages);
    expect(first).toMatchObject({ results: [['thing done']], hasMore: true, limit: 1, offset: 0 });
    expect(second).toMatchObject({ results: [['old']], hasMore: false, offset: 1 });
    expect(third).toMatchObject({ results: [], hasMore: false });
  });

  test('rows have the requested order', async () => {
    const ascending = { after: 'all', orderBy: ['timestamp ASC'] };
    expect(await column('event', ascending)).toEqual(['old', 'thing done']);
    expect(await column('event', { after: 'all', orderBy: ['properties.a DESC', 'timestamp'] })).toEqual(['thing done', 'old']);
    expect(await column('event', { after: 'all', orderBy: ['event desc'] })).toEqual(['thing done', 'old']);
  });

  test('event, distinct id and properties filter them', async () => {
    expect(await column('event', { after: 'all', event: 'old' })).toEqual(['old']);
    expect(await column('event', { after: 'all', distinctId: 'anna' })).toEqual(['thing done']);
    const properties = [{ key: 'email', type: 'person', value: 'ANNA@example.com' }];
    expect(await column('event', { after: 'all', properties })).toEqual(['thing done', 'old']);
    const plan = { key: 'plan', type: 'group', group_type_index: 0, value: ['pro'] };
    expect(await column('event', { after: 'all', properties, fixedProperties: [plan] })).toEqual(['thing done']);
    const either = {
      type: 'OR',
      values: [
        { key: 'a', value: 1 },
        { key: 'a', operator: 'is_not_set' },
      ],
    };
    expect(await column('event', { after: 'all', properties: either })).toEqual(['thing done', 'old']);
  });

  test('rows of another project are never returned', async () => {
    expect(await column('event', { after: 'all', event: 'foreign' })).toEqual([]);
    expect((await ask({ select: ['event'], after: 'all' }, 2)).results).toEqual([['foreign']]);
    expect((await ask({ select: ['event'], after: 'all' }, 3)).results).toEqual([]);
  });
});

describe('refusals have the field', () => {
  test.each<[object, string, string | null]>([
    [{ kind: 'Nothing' }, 'invalid_choice', 'kind'],
    [{ kind: undefined }, 'required', 'kind'],
    [{ select: ['event', 'secrets'] }, 'invalid_choice', 'select__1'],
    [{ select: 'event' }, 'invalid_input', 'select'],
    [{ orderBy: ['properties'] }, 'invalid_choice', 'orderBy__0'],
    [{ limit: 50_001 }, 'invalid_input', 'limit'],
    [{ limit: 0 }, 'invalid_input', 'limit'],
    [{ offset: 'x' }, 'invalid_input', 'offset'],
    [{ after: 'soon' }, 'invalid_input', 'after'],
    [{ personId: 'anna' }, 'invalid_input', 'personId'],
    [{ properties: 'a' }, 'invalid_input', 'properties'],
    [{ properties: [{ key: 'a', value: 1, type: 'recording' }] }, 'invalid_choice', 'properties__0__type'],
    [{ properties: [{ key: 'a', operator: 'like', value: 1 }] }, 'invalid_choice', 'properties__0__operator'],
    [{ properties: [{ value: 1 }] }, 'required', 'properties__0__key'],
    [{ properties: [{ key: 'a' }] }, 'required', 'properties__0__value'],
    [{ properties: [{ key: 'a', operator: 'gt', value: 'x' }] }, 'invalid_input', 'properties__0__value'],
    [{ properties: [{ key: 'a', operator: 'between', value: [2, 1] }] }, 'invalid_input', 'properties__0__value'],
    [{ properties: [{ key: 'a', operator: 'semver_gt', value: 'one' }] }, 'invalid_input', 'properties__0__value'],
    [{ properties: [{ key: 'a', type: 'group', value: 1 }] }, 'required', 'properties__0__group_type_index'],
    [
      { properties: { type: 'OR', values: [{ type: 'AND', values: [{}] }] } },
      'required',
      'properties__values__0__values__0__key',
    ],
    [{ properties: { type: 'XOR', values: [] } }, 'invalid_choice', 'properties__type'],
    [{ properties: nested(20) }, 'invalid_input', 'properties'],
  ])('%j', (query, code, attr) => {
    const refusal = refusalOf({ kind: 'EventsQuery', ...query });
    expect(refusal?.status).toBe(400);
    expect(refusal?.body).toMatchObject({ type: 'validation_error', code, attr });
  });
});

test('an order by many columns with any white space is parsed in linear time', async () => {
  const long = `event${' '.repeat(980)}x`;
  expect(validate(querySchema, { kind: 'EventsQuery', orderBy: ['  event \n dEsc '] })).toMatchObject({
    orderBy: [{ column: { name: 'event' }, descending: true }],
  });
  for (const kind of ['EventsQuery', 'ActorsQuery']) {
    const orderBy = Array.from({ length: 100 }, () => long);
    const took = await processorMs(() => expect(refusalOf({ kind, orderBy })?.body).toMatchObject({ attr: 'orderBy__0' }));
    // it took 2,000 ms
    expect(took).toBeLessThan(500);
  }
});

test('filters of any depth do not overflow the stack', () => {
  expect(refusalOf({ kind: 'EventsQuery', properties: nested(5000) })?.body).toMatchObject({ attr: 'properties' });
});

function refusalOf(query: object): ApiError | null {
  try {
    validate(querySchema, query);
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

function nested(depth: number): object {
  let filter: object = { key: 'a', value: 1 };
  for (let level = 0; level < depth; level++) filter = { type: 'AND', values: [filter] };
  return filter;
}
