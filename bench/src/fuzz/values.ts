import { pick, type Random, uuidFrom } from '@tidemark/testkit';
import { isRecord } from '../session.js';

/*
 * Random values that match a schema of the OpenAPI document, and values that match none.
 */

/** Default maximal length of generated lists. */
const ITEMS = 4;
/** Maximal depth of generated values; deeper values are scalars. */
const LEVELS = 8;

export const chance = (random: Random, share: number): boolean => random() < share;
export const whole = (random: Random, below: number): number => Math.floor(random() * below);

const STATEMENTS: readonly [string, ...string[]] = [
  'select event, count() from events group by event order by 2 desc limit 10',
  'select properties.$browser, person.properties.email from events limit 3',
  'select toStartOfDay(timestamp) as day, uniq(person_id) from events where {filters} group by day',
  'with a as (select * from events) select count() from a, a as b limit 1',
  "select arrayMap(x -> x + 1, range(10)), JSON_QUERY('[1]', '$[0]'), like('a', '%')",
  'select * from system.tables',
  'select (((((((1',
  `select 1 as a${', a + 1'.repeat(300)}`,
  `select properties${'.a'.repeat(3_000)} from events`,
  `select ${'('.repeat(2_000)}1`,
];

/** Texts for fields by name; other fields get any text. */
const BY_NAME: Record<string, readonly [string, ...string[]]> = {
  query: STATEMENTS,
  formula: ['A', 'A / B * 100', '((A', '-A ** 2', `A${'+A'.repeat(150)}`],
  operator: ['exact', 'icontains', 'regex', 'gt', 'is_set', 'is_date_before', 'semver_gt', 'between', 'nonsense'],
  event: ['$pageview', '$autocapture', 'signed up', ''],
  key: ['$browser', 'email', 'a.b', '$group_key', 'selector'],
  date_from: ['-7d', '2026-01-31', 'all', '-3h', 'yesterday', '-99999999d', '0000-00-00'],
  date_to: ['-1d', '2026-02-30', '2026-01-31T10:00:00Z', '+7d'],
  after: ['-24h', 'all', '2026-01-01'],
  math: ['total', 'dau', 'sum', 'p99', 'unique_group'],
};

const TEXTS: readonly [string, ...string[]] = [
  'a',
  '',
  ' ',
  'Ünïcödé 💥',
  '\u0000',
  '\ud800',
  "'; drop table events --",
  '../../etc/passwd',
  '%00%',
  '{{7*7}}',
  '<script>1</script>',
  '__proto__',
  'constructor',
  '$&$1',
  '(a+)+$',
  '[',
  '(?=a)',
  '-1',
  '1e309',
  'NaN',
  'null',
  '2026-01-31T10:00:00Z',
  '0001-01-01',
  '+275760-09-13',
  'x'.repeat(500),
];

const NUMBERS: readonly [number, ...number[]] = [0, 1, -1, 2, 7, 0.5, 100, 1e9, 2 ** 31, 2 ** 53, -(2 ** 63), 1e300, 1e-300];

/** An odd text, sometimes a very long one. */
export const oddText = (random: Random): string =>
  chance(random, 0.03) ? pick(random, ['a', '(', '\\', '"', '💥']).repeat(whole(random, 20_000)) : pick(random, TEXTS);

/** Replaces lone surrogates, which URLs cannot encode. */
export const wellFormed = (text: string): string => Buffer.from(text).toString();

/** Any JSON value. */
export function anyValue(random: Random, level = 0): unknown {
  const kind = whole(random, level > 4 ? 4 : 7);
  if (kind === 0) return null;
  if (kind === 1) return chance(random, 0.5);
  if (kind === 2) return pick(random, NUMBERS);
  if (kind === 3) return oddText(random);
  if (kind === 4) return Array.from({ length: whole(random, 5) }, () => anyValue(random, level + 1));
  if (kind === 5) return nested(random);
  return Object.fromEntries(Array.from({ length: whole(random, 5) }, () => [oddText(random), anyValue(random, level + 1)]));
}

function nested(random: Random): unknown {
  let value: unknown = 1;
  const inLists = chance(random, 0.5);
  for (let left = whole(random, 200); left > 0; left--) value = inLists ? [value] : { values: [value], type: 'AND' };
  return value;
}

/** Follows `#/components/...`. */
export type Resolve = (schema: unknown) => Record<string, unknown>;

/** A value that matches a schema, as far as its keywords are supported. `name`: of the field. */
export function valueFor(random: Random, given: unknown, resolve: Resolve, name = '', level = 0): unknown {
  const schema = resolve(given);
  const examples = listOf(schema['examples'] ?? (schema['example'] === undefined ? [] : [schema['example']]));
  if (examples.length > 0 && chance(random, 0.4)) return structuredClone(examples[whole(random, examples.length)]);
  if ('const' in schema) return schema['const'];
  const choices = listOf(schema['enum']);
  if (choices.length > 0) return choices[whole(random, choices.length)];
  const others = listOf(schema['oneOf'] ?? schema['anyOf']);
  if (others.length > 0) return valueFor(random, others[whole(random, others.length)], resolve, name, level);
  const all = listOf(schema['allOf']);
  if (all.length > 0)
    return Object.assign({}, ...all.map((one) => valueFor(random, one, resolve, name, level)).filter((one) => isRecord(one)));
  const types = listOf(schema['type'] ?? []);
  return ofType(random, types[whole(random, types.length)] ?? schema['type'], schema, resolve, name, level);
}

function ofType(
  random: Random,
  type: unknown,
  schema: Record<string, unknown>,
  resolve: Resolve,
  name: string,
  level: number,
): unknown {
  switch (type) {
    case 'null':
      return null;
    case 'boolean':
      return chance(random, 0.5);
    case 'integer':
      return chance(random, 0.8) ? whole(random, 100) : Math.trunc(pick(random, NUMBERS));
    case 'number':
      return chance(random, 0.8) ? random() * 100 : pick(random, NUMBERS);
    case 'string':
      return textOf(random, schema, name);
    case 'array':
      if (level > LEVELS) return [];
      return Array.from({ length: whole(random, ITEMS) }, () => valueFor(random, schema['items'], resolve, name, level + 1));
    case 'object':
      return objectOf(random, schema, resolve, level);
    default:
      return anyValue(random, level);
  }
}

function textOf(random: Random, { format }: Record<string, unknown>, name: string): string {
  if (format === 'uuid') return uuidFrom(random);
  if (format === 'date-time') return new Date(Date.UTC(2026, whole(random, 12), 1)).toISOString();
  if (format === 'email') return `person${whole(random, 1e6)}@example.com`;
  const choices = Object.hasOwn(BY_NAME, name) ? BY_NAME[name] : undefined;
  if (choices && chance(random, 0.9)) return pick(random, choices);
  return chance(random, 0.7) ? `name ${whole(random, 1000)}` : oddText(random);
}

function objectOf(random: Random, schema: Record<string, unknown>, resolve: Resolve, level: number): Record<string, unknown> {
  const { properties, required } = schema;
  const fields = isRecord(properties) ? Object.entries(properties) : [];
  const needed = new Set(listOf(required));
  const made: Record<string, unknown> = {};
  if (level <= LEVELS) {
    for (const [name, of] of fields) {
      if (needed.has(name) || chance(random, level < 2 ? 0.5 : 0.3)) made[name] = valueFor(random, of, resolve, name, level + 1);
    }
  }
  if (fields.length === 0) made[`key ${whole(random, 9)}`] = anyValue(random, level + 1);
  return made;
}

/** The value with one mistake. */
export function broken(random: Random, value: unknown): unknown {
  if (Array.isArray(value) && value.length > 0 && chance(random, 0.7)) {
    const at = whole(random, value.length);
    return value.map((one, index) => (index === at ? broken(random, one) : one));
  }
  if (isRecord(value) && !Array.isArray(value) && Object.keys(value).length > 0 && chance(random, 0.85)) {
    const names = Object.keys(value);
    const name = names[whole(random, names.length)] ?? '';
    if (chance(random, 0.15)) return Object.fromEntries(Object.entries(value).filter(([one]) => one !== name));
    if (chance(random, 0.15)) return { ...value, [oddText(random)]: anyValue(random) };
    return { ...value, [name]: broken(random, value[name]) };
  }
  return anyValue(random);
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : value === undefined ? [] : [value]);
