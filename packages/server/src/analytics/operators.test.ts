import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { validate } from '../http/validate.js';
import type { Json } from '../kernel/json.js';
import { eventRow, type TestEvents, testEvents } from '../testing/events.js';
import { flagFilter } from '../testing/flag-filter.js';
import { runs } from '../testing/runs.js';
import { OPERATORS, type Operator } from './filter.js';
import { querySchema } from './query.js';
import { runQuery } from './run.js';

const NOW = Date.UTC(2024, 2, 31, 12, 30, 15, 7);
const WORDS = [
  '',
  'a',
  'A',
  'abc',
  'ABC',
  'aBcd',
  'é',
  'É',
  'true',
  'True',
  ' true',
  'false',
  'null',
  '5',
  '5.0',
  ' 5',
  '5 ',
  '+5',
  '.5',
  '5.',
  '--5',
  '007',
  '-3',
  '1e3',
  '1E3',
  '1e400',
  'inf',
  'nan',
  '0x10',
  'a/b',
  '%_',
  '"',
  "'",
  '\\',
  '`',
  '\n',
  'a\nb',
  '[1,2]',
  '[true]',
  '{}',
  '😀',
];
const DATES = [
  '2024-03-30',
  '2024-03-31',
  '2024-03-31T00:00:00Z',
  '2024-03-31 11:59:59',
  '2024-03-31T14:00:00+02:00',
  '2024-03-31T14:00:00+0200',
  '2024-03-31 14:00+02',
  '2024-03-31t00:00:00z',
  ' 2024-03-31 ',
  '2024-03-31T12:30:15.007999Z',
  '2024-02-29',
  '1969-12-31T23:59:59.5Z',
  '9999-12-31',
  '0001-01-01T00:00:00Z',
  '2023-12-31T23:59:59.999Z',
];
const NO_DATES = [
  '2024-02-30',
  '2023-02-29',
  '2024-03-31T24:00:00Z',
  '2024-03-31T12:60:00Z',
  '2024-03-31T12:00:00+25:00',
  '2024-03-31T12:30:15.1234567891Z',
  '20240331',
  '1711843200',
  'March 31',
];
const VERSIONS = [
  '1',
  'v1.2',
  'V1.2',
  ' v1.2.3 ',
  '1.2.3',
  '1.2.3-alpha',
  '1.2.3-alpha.1',
  '1.2.3-alpha.beta',
  '1.2.3-2',
  '1.2.3-11',
  '1.2.3-ALPHA',
  '0.3.0-x',
  '2.0.0-rc',
  '1.2.4',
  '1.3.0-rc',
  '1.3.0',
  '2.0.0',
  '0.2.3',
  '0.2.9',
  '0.0.3',
  '0.0.4',
  '01.2.3',
  '1.2.3+b',
];
const NO_VERSIONS = ['1.2.3.4', '1.x', '~1.2.3', '1.2.3-a..b', '1.2.3-', '1.2.3+b c', '99999999999999999999.1'];
const NUMBERS = [0, 1, 5, -3, 1.5, 1e3, 1e21, 1e-7, 0.1, 2 ** 53, 1711843200, 1711843200000, 1711886400];
const VALUES: Json[] = [
  null,
  true,
  false,
  {},
  { x: 1 },
  [],
  [1, 2],
  ['a', 'ABC'],
  [true, 'x', null],
  ['a/b'],
  [true],
  ['TRUE', true],
  [[true], []],
  [false],
  [{ a: 1 }],
  ...WORDS,
  ...DATES,
  ...NO_DATES,
  ...VERSIONS,
  ...NO_VERSIONS,
  ...NUMBERS,
];

let events: TestEvents;
const rows = [undefined, ...VALUES].map((value, index) => ({ uuid: eventRow(index).uuid, value }));

beforeAll(async () => {
  events = await testEvents();
  // one row in every part, and a person, a group and a dotted name beside it
  await events.put(
    'events',
    rows.map(({ value }, index) =>
      eventRow(index, {
        properties: value === undefined ? {} : { p: value, 'a.b': value },
        person_id: eventRow(index).uuid,
        distinct_id: `d${index}`,
        group_2: `k${index}`,
      }),
    ),
  );
  await events.put(
    'persons',
    rows.map(({ uuid, value }) => ({
      project_id: 1,
      person_id: uuid,
      properties: value === undefined ? {} : { p: value, 'a.b': value },
      is_identified: true,
      is_deleted: false,
      created_at: 0,
      version: 1,
    })),
  );
  await events.put(
    'groups',
    rows.map(({ value }, index) => ({
      project_id: 1,
      group_type_index: 2,
      group_key: `k${index}`,
      properties: value === undefined ? {} : { p: value, 'a.b': value },
      created_at: 0,
      version: 1,
    })),
  );
});
afterAll(() => events.close());

async function found(filter: object, timezone = 'UTC'): Promise<unknown[]> {
  const query = validate(querySchema, { kind: 'EventsQuery', select: ['uuid'], after: 'all', limit: 1000, properties: [filter] });
  const result = await runQuery(events.store, query, { projectId: 1, timezone, now: NOW });
  return [result.results].flat(2).sort();
}

const RELATIVE = ['-1d', '1w', '-1m', '-2m', '-13m', '0d', '12h', '-1y'];
const PATTERNS = ['', 'a', '^a', 'b$', '.', '^.$', 'a.b', '^$', '[0-9]+', '(', '(?=a)', 'A|B', '(?i)abc', '\\d', '\\p{L}'];
const oneOf = <T>(values: readonly T[]) => fc.constantFrom(...values);
const oneOrMore = (values: readonly Json[], most = 3) =>
  fc.oneof(oneOf(values), fc.array(oneOf(values), { minLength: most === 1 ? 1 : 0, maxLength: most }));

/** As many as are looked for in another way than a few. */
const MANY = oneOrMore(WORDS).map((some) => [...[some].flat(), ...Array.from({ length: 120 }, (_, index) => `no ${index}\n'`)]);

function valueFor(operator: Operator): fc.Arbitrary<Json | undefined> {
  if (operator === 'is_set' || operator === 'is_not_set') return fc.constant(undefined);
  if (operator === 'semver_wildcard') return oneOf(['1.2.*', 'v1.*', '*', '0.0.*', '1.x.x', '1.2.3']);
  if (operator.startsWith('semver')) return oneOrMore([...VERSIONS, '~1.2.3'], 1);
  if (operator.startsWith('is_date')) return oneOrMore([...RELATIVE, ...DATES], 1);
  if (operator.endsWith('between'))
    return fc.tuple(oneOf(NUMBERS), oneOf(NUMBERS)).map(([a, b]) => [Math.min(a, b), Math.max(a, b)]);
  if (/^[gl]te?$/.test(operator)) return fc.oneof(oneOf(NUMBERS), oneOf([...NUMBERS.map(String), ' 5 ', '.5']));
  if (operator.endsWith('regex')) return oneOrMore(PATTERNS);
  const words = oneOrMore([...WORDS, ...NUMBERS, true, false]);
  if (operator !== 'exact' && operator !== 'is_not') return words;
  return fc.oneof(words, MANY, oneOrMore([true, false, 'true', 'FALSE']));
}

/** The engine keeps no null and no empty object; and the content of an object is not part of its text (see below). */
const isUnlike = (value: Json | undefined): boolean => typeof value === 'object' && !Array.isArray(value);
const comparable = rows.filter(({ value }) => !isUnlike(value));

describe('operators match the same rows as in flags', () => {
  test.each(OPERATORS)('%s', async (operator) => {
    const owner = oneOf([{ type: 'event' }, { type: 'person' }, { type: 'group', group_type_index: 2 }]);
    const filters = fc.record({ owner, key: oneOf(['p', 'a.b']), value: valueFor(operator) });
    await fc.assert(
      fc.asyncProperty(filters, oneOf(['UTC', 'Europe/Berlin']), async ({ owner, key, value }, timeZone) => {
        const passes = flagFilter({ operator, value, now: NOW, timeZone });
        const ids = new Set(await found({ ...owner, key, operator, value }, timeZone));
        const wrong = comparable.filter((row) => ids.has(row.uuid) !== passes(row.value)).map((row) => row.value);
        expect(wrong).toEqual([]);
      }),
      runs(6),
    );
  });
});

test('null and the empty object count as absent, and objects have no text', async () => {
  const objects = rows.filter(({ value }) => isUnlike(value));
  const passing = async (filter: object) => {
    const ids = await found({ key: 'p', ...filter });
    return objects.filter(({ uuid }) => ids.includes(uuid)).map(({ value }) => value);
  };
  expect(await passing({ operator: 'is_set' })).toEqual([{ x: 1 }]);
  expect(await passing({ operator: 'is_not_set' })).toEqual([null, {}]);
  expect(await passing({ operator: 'icontains', value: '' })).toEqual([]);
  expect(await passing({ operator: 'is_not', value: 'a' })).toEqual([null, {}, { x: 1 }]);
});

test('the key of a group counts as its property, as in flags', async () => {
  const group = { type: 'group', group_type_index: 2, key: '$group_key' };
  const ids = (indexes: number[]) => indexes.map((index) => eventRow(index).uuid);
  expect(await found({ ...group, value: ['K3', 'k5'] })).toEqual(ids([3, 5]));
  expect(await found({ ...group, operator: 'is_not_set' })).toEqual([]);
});

test('dates without a zone are in the time zone of the project', async () => {
  const before = await found({ key: 'p', operator: 'is_date_before', value: '2024-03-31T00:00:00Z' }, 'Asia/Kathmandu');
  const valuesOf = (uuids: unknown[]) => rows.filter(({ uuid }) => uuids.includes(uuid)).map(({ value }) => value);
  expect(valuesOf(before)).toContain('2024-03-31');
  expect(valuesOf(await found({ key: 'p', operator: 'is_date_exact', value: '2024-03-31' }, 'Asia/Kathmandu'))).toEqual(
    expect.arrayContaining(['2024-03-31', '2024-03-31T00:00:00Z', '2024-03-31 11:59:59', 1711843200]),
  );
});

describe('names and values are never parsed as SQL', () => {
  const hostile = fc
    .oneof(
      fc.string({ unit: 'binary', maxLength: 30 }),
      oneOf([
        "' or 1=1 --",
        '`) or 1 --',
        '{p0:Int32}',
        '\\',
        "\\'",
        '`',
        '``',
        '\\`',
        "');drop table events;--",
        '/*',
        '$1',
        '?',
        'a.b.c',
        'x`.y',
        '%2E',
        '\u2028',
      ]),
    )
    .filter((text) => !text.includes('\0') && !/\p{Surrogate}/u.test(text));

  test('a row is found only by its name and its value', async () => {
    let number = 1_000_000;
    await fc.assert(
      fc.asyncProperty(hostile, hostile, async (key, value) => {
        fc.pre(key !== '' && !/^[\^:]`/.test(key) && !key.includes('%2E'));
        const row = eventRow(number++, { project_id: number, properties: { [key]: value } });
        await events.put('events', [row, eventRow(number++, { project_id: row.project_id })]);
        const ask = async (properties: object[], select: string[]) => {
          const query = validate(querySchema, { kind: 'EventsQuery', select, after: 'all', properties });
          return (await runQuery(events.store, query, { projectId: row.project_id, timezone: 'UTC', now: NOW })).results;
        };
        expect(await ask([{ key, value }], ['uuid', 'properties'])).toEqual([[row.uuid, { [key]: value }]]);
        expect(await ask([{ key, operator: 'icontains', value }], ['uuid', `properties.${quoted(key)}`])).toEqual([
          [row.uuid, value],
        ]);
        expect(await ask([{ key, type: 'person', value }], ['uuid'])).toEqual([]);
      }),
      runs(15),
    );
  });

  const quoted = (key: string) => `\`${key.replace(/[\\`]/g, '\\$&')}\``;
});
