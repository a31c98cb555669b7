import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { querySchema } from '../analytics/query.js';
import { runQuery } from '../analytics/run.js';
import type { QuerySettings } from '../analytics/store.js';
import { validate } from '../http/validate.js';
import { uuidOfHex } from '../kernel/ids.js';
import type { JsonObject } from '../kernel/json.js';
import { answerText } from './answer-text.js';
import { eventRow, type TestEvents, testEvents } from './events.js';

/*
 * Worked examples: a few events, a question, and the answer with the reason for it. Lines have columns that are two spaces or more apart.
 */

export interface WorkedExample {
  /** Who counts, and why: a sentence or two for the reader. */
  because: string;
  /** A line for each event: `ann  2024-05-01 10:00  visited  plan=pro, amount=3  @acme`. Times are UTC; `@` names a group of type 0. */
  events: string;
  /** What is known of persons: `ann  plan=pro`. */
  people?: string;
  /** What is known of groups of type 0: `acme  size=large`. */
  groups?: string;
  /** Whose events belong to another person by now: `ann-phone  ann`. */
  merged?: string;
  /** The project's; UTC and Sunday if left out. */
  timezone?: string;
  weekStart?: 'Sunday' | 'Monday';
  /** Time of the query; the end of May 2024 by default. */
  now?: string;
  /** The first day if left out is that of the first event, the last that of the last. */
  query: JsonObject;
  /** As `answerText` writes it. */
  answer: string;
  /** Points of the answer, and the people behind them by their names: `{ point: { funnelStep: 2 }, people: 'ann, ben' }`. */
  behind?: { point: JsonObject; people: string }[];
}

const rowsOf = (text = ''): string[][] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => line.split(/\s{2,}/));

const propertiesOf = (text = ''): JsonObject =>
  Object.fromEntries(
    text
      .split(', ')
      .filter((pair) => pair !== '')
      .map((pair) => {
        const at = pair.indexOf('=');
        const value = pair.slice(at + 1);
        return [pair.slice(0, at), /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value];
      }),
  );

/** A person's uuid, made of the name. */
const uuidOf = (name: string): string => {
  const hex = createHash('sha256').update(name).digest('hex');
  return uuidOfHex(`${hex.slice(0, 12)}4${hex.slice(13, 16)}8${hex.slice(17, 32)}`);
};

const instantOf = (text: string): number => Date.parse(`${text.replace(' ', 'T')}${text.includes(':') ? 'Z' : 'T00:00Z'}`);

let projects = 0;

/** Stores what an example says. @returns the number of its project, and how to call its persons and groups */
async function store(events: TestEvents, { events: did, people, groups, merged }: WorkedExample) {
  const projectId = ++projects;
  const lines = rowsOf(did).map(([person = '', time = '', event = '', ...rest]) => {
    const group = rest.find((text) => text.startsWith('@'))?.slice(1) ?? '';
    return { person, time: instantOf(time), event, group, properties: propertiesOf(rest.find((text) => !text.startsWith('@'))) };
  });
  const names = new Map(lines.flatMap(({ person, group }) => [person, group]).map((name) => [uuidOf(name), name]));
  await events.put(
    'events',
    lines.map(({ person, time, event, group, properties }, index) =>
      eventRow(projectId * 1000 + index, {
        project_id: projectId,
        event,
        timestamp: time,
        distinct_id: person,
        person_id: uuidOf(person),
        group_0: group,
        properties,
      }),
    ),
  );
  const common = { project_id: projectId, created_at: 0, version: 1 };
  const persons = rowsOf(people).map(([name = '', properties]) => ({
    ...common,
    person_id: uuidOf(name),
    properties: propertiesOf(properties),
    is_identified: true,
    is_deleted: false,
  }));
  if (persons.length > 0) await events.put('persons', persons);
  const known = rowsOf(groups).map(([group_key = '', properties]) => ({
    ...common,
    group_type_index: 0,
    group_key,
    properties: propertiesOf(properties),
  }));
  if (known.length > 0) await events.put('groups', known);
  const overrides = rowsOf(merged).map(([from = '', into = '']) => ({
    project_id: projectId,
    distinct_id: from,
    person_id: uuidOf(into),
    version: 1,
  }));
  if (overrides.length > 0) await events.put('person_overrides', overrides);
  const times = lines.map(({ time }) => time);
  const day = (time: number) => new Date(time).toISOString().slice(0, 10);
  return { projectId, names, range: { date_from: day(Math.min(...times)), date_to: day(Math.max(...times)) } };
}

/**
 * How a file of examples tells of one: all of them are asked of one store.
 * @example example('Others do not count', { because: 'Ben never signed up.', events: `…`, query: { kind: 'FunnelsQuery', … }, answer: `…` })
 */
export function workedExamples(): (title: string, example: WorkedExample) => void {
  let events: TestEvents;
  beforeAll(async () => {
    events = await testEvents();
  });
  afterAll(() => events.close());
  return (title, example) => {
    test(title, async () => {
      const { projectId, names, range } = await store(events, example);
      const { timezone = 'UTC', weekStart = 'Sunday', now = '2024-05-31 12:00', query, because } = example;
      const settings: QuerySettings = { weekStart: weekStart === 'Monday' ? 1 : 0, testAccountFilters: [], staleness: null };
      const context = { projectId, timezone, now: instantOf(now), settings };
      const parsed = { dateRange: range, ...query };
      const ask = async (one: object, isDense = false) => {
        const ofProject = { ...context, hasDenseEvents: async () => isDense };
        return (await runQuery(events.store, validate(querySchema, one), ofProject)).results;
      };
      for (const isDense of [false, true]) {
        const answer = answerText(parsed, await ask(parsed, isDense));
        expect(linesOf(answer), because).toEqual(linesOf(example.answer));
      }
      for (const { point, people } of example.behind ?? []) {
        const kind = query['kind'] === 'FunnelsQuery' ? 'FunnelsActorsQuery' : 'InsightActorsQuery';
        const source = { kind, source: parsed, ...point };
        const rows = (await ask({ kind: 'ActorsQuery', select: ['id'], source })) as unknown as [string][];
        const found = rows.map(([id]) => names.get(id) ?? id).toSorted();
        expect(found, `${because} ${JSON.stringify(point)}`).toEqual(people.split(', ').filter(Boolean));
      }
    });
  };
}

const linesOf = (text: string): string[] => rowsOf(text).map((columns) => columns.join('  '));

/** A funnel over events of these names. */
export const funnel = (events: readonly string[], funnelsFilter: JsonObject = {}): JsonObject => ({
  kind: 'FunnelsQuery',
  series: events.map((event) => ({ kind: 'EventsNode', event })),
  funnelsFilter,
});
