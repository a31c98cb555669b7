import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { validate } from '../../../http/validate.js';
import { ApiError } from '../../../kernel/errors.js';
import { onTwoShards } from '../../../testing/cluster-databases.js';
import type { TestEvents } from '../../../testing/events.js';
import { inTurn, runs } from '../../../testing/runs.js';
import { HARMLESS, projectsWithSecrets, REFUSED, SECRETS_AT } from '../../../testing/sql-attacks.js';
import { querySchema } from '../../query.js';
import { runQuery } from '../../run.js';

/*
 * The attacks on statements, as expressions in lists of events and of persons.
 */

let events: TestEvents;
beforeAll(async () => {
  events = await projectsWithSecrets();
});
afterAll(() => events.close());

/** The answer, or why there is none. */
async function ask(query: object, projectId = 1): Promise<string> {
  try {
    const validated = validate(querySchema, { kind: 'EventsQuery', after: 'all', ...query });
    const { results } = await runQuery(events.store, validated, { projectId, timezone: 'UTC', now: SECRETS_AT });
    return JSON.stringify(results);
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return `refused: ${error.body.detail}`;
    throw error;
  }
}

const ALL_TIME = { dateRange: { date_from: '2023-01-01' }, after: undefined, interval: 'month' };
const trend = (more: object): Record<string, unknown> => ({
  ...ALL_TIME,
  kind: 'TrendsQuery',
  series: [{ kind: 'EventsNode' }],
  ...more,
});
const funnel = (more: object): Record<string, unknown> => ({
  ...ALL_TIME,
  kind: 'FunnelsQuery',
  series: [{ kind: 'EventsNode' }, { kind: 'EventsNode' }],
  ...more,
});
const paths = (pathsHogQLExpression: string): Record<string, unknown> => ({
  ...ALL_TIME,
  kind: 'PathsQuery',
  pathsFilter: { includeEventTypes: ['hogql'], pathsHogQLExpression },
});

/** The fields in which an expression may stand. */
const FIELDS: [string, (expression: string) => Record<string, unknown>][] = [
  ['select', (expression) => ({ select: ['event', expression] })],
  ['where', (expression) => ({ select: ['event'], where: [expression] })],
  ['orderBy', (expression) => ({ select: ['event'], orderBy: [expression] })],
  ['select of persons', (expression) => ({ kind: 'ActorsQuery', after: undefined, select: ['id', expression] })],
  ['where of persons', (expression) => ({ kind: 'ActorsQuery', after: undefined, select: ['id'], where: [expression] })],
  ['a filter of trends', (key) => trend({ properties: [{ type: 'hogql', key }] })],
  ['a filter of a series', (key) => trend({ series: [{ kind: 'EventsNode', properties: [{ type: 'hogql', key }] }] })],
  ['a breakdown of trends', (breakdown) => trend({ breakdownFilter: { breakdown, breakdown_type: 'hogql' } })],
  [
    'the numbers of trends',
    (of) => trend({ series: [{ kind: 'EventsNode', math: 'hogql', math_hogql: `max(length(toString(${of})))` }] }),
  ],
  ['a breakdown of a funnel', (breakdown) => funnel({ breakdownFilter: { breakdown, breakdown_type: 'hogql' } })],
  ['what a funnel counts', (by) => funnel({ funnelsFilter: { funnelAggregateByHogQL: by } })],
  ['the steps of paths', (expression) => paths(expression)],
  ['orderBy of persons', (expression) => ({ kind: 'ActorsQuery', after: undefined, select: ['id'], orderBy: [expression] })],
];

type Form = (query: string) => string;
/** Forms of a statement within an expression: in each field another one of them, in turn. */
const FORMS: Form[] = [
  (query) => `(${query})`,
  (query) => `toString(tuple((${query} limit 1)))`,
  (query) => `event in (${query})`,
];
const REFUSED_FORMS: Form[] = [(query) => `(${query})`, (query) => query, (query) => `1 in (${query})`];

describe.each(FIELDS.map(([field, within], place) => [field, within, place] as const))('in %s', (_field, within, place) => {
  test('an expression that fails only for rows of another project does not fail', async () => {
    const failing = (project: number) => `intDiv(1, if(toString(properties.own) = 'secret${project}', 0, 1))`;
    const ofEvent = within('')['kind'] === 'ActorsQuery' ? '' : ` + intDiv(1, if(event = 'secret2 event', 0, 1))`;
    expect(await ask(within(`(${failing(2)}${ofEvent}) > 0`))).not.toMatch(/^refused/);
    expect(await ask(within(`${failing(1)} > 0`))).toMatch(/^refused: .*zero/);
  });

  // nothing of them comes to the store
  if (!onTwoShards()) {
    test('statements that are refused are refused as expressions', async () => {
      for (const [index, [query]] of REFUSED.entries()) {
        const answers = await Promise.all(inTurn(REFUSED_FORMS, index + place).map((form) => ask(within(form(query)))));
        expect([query, answers.filter((answer) => !answer.startsWith('refused: '))]).toEqual([query, []]);
      }
    });
  }

  test('harmless statements are harmless as expressions', async () => {
    for (const [index, query] of HARMLESS.entries()) {
      for (const expression of inTurn(FORMS, index + place).map((form) => form(query))) {
        const answer = await ask(within(expression));
        expect([expression, answer.includes('secret2') && !expression.includes('secret2')]).toEqual([expression, false]);
      }
    }
  });
});

test.each<[object, string]>([
  [{ select: ["intDiv(1, distinct_id != 'secret2 0')"] }, '[1]'],
  [{ select: ['event'], where: ["intDiv(1, distinct_id != 'secret2 0') = 1"] }, 'secret1'],
  [{ select: ['event'], orderBy: ["intDiv(1, distinct_id != 'secret2 0')"] }, 'secret1'],
  [{ select: ['count()'], where: ["intDiv(1, properties.own != 'secret2') = 1"] }, '3'],
  [{ kind: 'ActorsQuery', after: undefined, select: ['id'], where: ["intDiv(1, properties.own != 'secret2') = 1"] }, '00000001'],
])('no error reveals rows of other projects: %j', async (query, found) => {
  expect(await ask(query)).toContain(found);
  // the same trick does work on rows of one's own
  expect(await ask(query, 2)).toMatch(/refused: .*divides by zero/);
});

const column = fc.constantFrom(
  'event',
  'distinct_id',
  'toString(person_id)',
  'properties.own',
  "properties['own']",
  'person.properties.name',
  'group_0.properties.own',
  '$group_0',
  'properties',
  'person',
  '*',
  'person_display_name',
  "concat(event, '-', distinct_id)",
  'count()',
  'uniq(person_id)',
  'groupArray(event)',
  '(select groupArray(event) from events)',
  '(select max(properties.own) from persons)',
);
const condition = fc.constantFrom(
  '1',
  "event != 'secret1 event'",
  "properties.own like 'secret%'",
  'distinct_id in (select distinct_id from events)',
  'person_id in (select id from persons)',
  "group_0.properties.own != ''",
  'count() > 0',
  'not (event is null) or 1',
);
const list = fc.record({
  select: fc.array(column, { minLength: 1, maxLength: 4 }),
  where: fc.array(condition, { maxLength: 3 }),
  orderBy: fc.array(fc.constantFrom('event', 'timestamp desc', 'count()', 'properties.amount * 2 desc'), { maxLength: 2 }),
});

test('two projects never see each other’s rows', async () => {
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(list, async (query) => {
      const answers = await Promise.all([ask(query, 1), ask(query, 2)]);
      expect(answers[0]).not.toMatch(/secret2|00000002-/);
      expect(answers[1]).not.toMatch(/secret1|00000001-/);
      if (answers[0].includes('secret1 ') && answers[1].includes('secret2 ')) answered++;
    }),
    runs(80),
  );
  expect(answered).toBeGreaterThan(onTwoShards() ? 0 : 4);
});

test('the total length of expressions is limited', async () => {
  const filter = { type: 'hogql', key: `properties.a = '${'x'.repeat(9_000)}'` };
  const within = (properties: object[]) => ask(trend({ properties }));
  expect(await within([filter, filter])).not.toMatch(/^refused/);
  expect(await within([filter, filter, filter])).toBe('refused: The expressions of a query may have 20000 characters together.');
});
