import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { validate } from '../../../http/validate.js';
import { ApiError } from '../../../kernel/errors.js';
import type { TestEvents } from '../../../testing/events.js';
import { HARMLESS, projectsWithSecrets, REFUSED, SECRETS_AT } from '../../../testing/sql-attacks.js';
import { querySchema } from '../../query-schema.js';
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
    const asked = validate(querySchema, { kind: 'EventsQuery', after: 'all', ...query });
    const { results } = await runQuery(events.store, asked, { projectId, timezone: 'UTC', now: SECRETS_AT });
    return JSON.stringify(results);
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return `refused: ${error.body.detail}`;
    throw error;
  }
}

/** The fields in which an expression may stand. */
const FIELDS: [string, (expression: string) => object][] = [
  ['select', (expression) => ({ select: ['event', expression] })],
  ['where', (expression) => ({ select: ['event'], where: [expression] })],
  ['orderBy', (expression) => ({ select: ['event'], orderBy: [expression] })],
  ['select of persons', (expression) => ({ kind: 'ActorsQuery', after: undefined, select: ['id', expression] })],
  ['where of persons', (expression) => ({ kind: 'ActorsQuery', after: undefined, select: ['id'], where: [expression] })],
  ['orderBy of persons', (expression) => ({ kind: 'ActorsQuery', after: undefined, select: ['id'], orderBy: [expression] })],
];

describe.each(FIELDS)('in %s', (_field, within) => {
  test('what is refused as a statement is refused as an expression', async () => {
    for (const [query] of REFUSED) {
      const answers = await Promise.all([`(${query})`, query, `1 in (${query})`].map((expression) => ask(within(expression))));
      expect([query, answers.filter((answer) => !answer.startsWith('refused: '))]).toEqual([query, []]);
    }
  });

  test('what does no harm as a statement does none as an expression', async () => {
    for (const query of HARMLESS) {
      for (const expression of [`(${query})`, `toString(tuple((${query} limit 1)))`, `event in (${query})`]) {
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
])('no failure tells of rows of others: %j', async (query, found) => {
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

test('two projects never see rows of each other', async () => {
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(list, async (query) => {
      const answers = await Promise.all([ask(query, 1), ask(query, 2)]);
      expect(answers[0]).not.toMatch(/secret2|00000002-/);
      expect(answers[1]).not.toMatch(/secret1|00000001-/);
      if (answers[0].includes('secret1 ') && answers[1].includes('secret2 ')) answered++;
    }),
    { numRuns: 80 },
  );
  expect(answered).toBeGreaterThan(4);
});
