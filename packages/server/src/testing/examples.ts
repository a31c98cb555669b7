import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { startTestService, type TestService } from './service.js';

/*
 * Worked examples: a history of events as a table, a query, the answer and the sentence that says why. Each history is
 * a project of its own in one service per file; events go in by `POST /batch/`, queries by `POST query/`.
 */

/** The default time of queries: a Wednesday, in the week after that of `Mon` to `Sun`. */
const NOW = '2024-05-15 12:00';
/** The dates that names of weekdays stand for. */
const WEEK: Readonly<Record<string, string>> = {
  Mon: '2024-05-06',
  Tue: '2024-05-07',
  Wed: '2024-05-08',
  Thu: '2024-05-09',
  Fri: '2024-05-10',
  Sat: '2024-05-11',
  Sun: '2024-05-12',
};

type Query = { kind: string } & Record<string, unknown>;
/** Numbers of cohorts and actions by their names. */
type Numbers = Readonly<Record<string, number>>;

export interface Example {
  query: Query | ((numbers: Numbers) => Query);
  /** As {@link readable} writes the answer down. */
  answer: unknown;
  /** Who counts and why. */
  because: string;
  /** The intervals of the first line. */
  days?: readonly string[];
  /** Time of the query, in UTC. */
  now?: string;
  /** Events that arrive after the first run of the query, and its result before them. */
  late?: { events: string; before: unknown };
}

export interface History {
  example(name: string, example: Example): void;
}

/** Where a history is. */
interface Setting {
  /** Fields of the project, such as `timezone`. */
  project?: Readonly<Record<string, unknown>>;
  /** The conditions of its cohorts, all of which must hold, by their names. */
  cohorts?: Readonly<Record<string, object[]>>;
  /** The steps of its actions, by their names. */
  actions?: Readonly<Record<string, object[]>>;
}

/**
 * Starts the service of a file with examples.
 * @returns what makes a history of a table with an event a line: distinct id, event, time (`Mon 09:00`, `2024-03-31 00:30`; in
 * UTC, or with an offset such as `+02:00`) and properties (`{plan: pro}`), with two spaces between
 */
export function exampleHistories(): (events: string, setting?: Setting) => History {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.close());
  return (events, setting = {}) => {
    let stored: Promise<StoredHistory> | undefined;
    const opened = () => (stored ??= store(service, events, setting));
    return {
      example: (name, { query: given, answer, because, days, now = NOW, late }) => {
        test(name, async () => {
          // what is late is for this example alone
          const history = late ? await store(service, events, setting) : await opened();
          const query = typeof given === 'function' ? given(history.numbers) : given;
          service.clock.advance(instantOf(now) - service.clock.now());
          if (late) {
            expect(readable(query.kind, await history.ask(query)), 'before the late events').toEqual(late.before);
            await history.send(late.events);
          }
          const results = await history.ask(query);
          expect(readable(query.kind, results), because).toEqual(answer);
          if (days) expect(results[0], because).toMatchObject({ days });
        });
      },
    };
  };
}

interface StoredHistory {
  numbers: Numbers;
  send(events: string): Promise<void>;
  ask(query: object): Promise<readonly Line[]>;
}

async function store(
  service: TestService,
  events: string,
  { project: fields = {}, cohorts = {}, actions = {} }: Setting,
): Promise<StoredHistory> {
  const call = async (method: 'POST' | 'PATCH', url: string, body: object, key?: null) => {
    const answer = await service.call(method, url, { body, ...(key === null ? { key } : {}) });
    expect(answer.statusCode, answer.body).toBeLessThan(300);
    return answer.json();
  };
  const project = await call('POST', '/api/projects/', { name: 'Example' });
  const url = `/api/projects/${project.id}/`;
  if (Object.keys(fields).length > 0) await call('PATCH', url, fields);
  const numbers: Record<string, number> = {};
  for (const [name, values] of Object.entries(cohorts)) {
    const filters = { properties: { type: 'AND', values } };
    numbers[name] = (await call('POST', `${url}cohorts/`, { name, filters })).id;
  }
  for (const [name, steps] of Object.entries(actions)) {
    numbers[name] = (await call('POST', `${url}actions/`, { name, steps })).id;
  }
  const history: StoredHistory = {
    numbers,
    send: async (table) => {
      service.clock.advance(instantOf(NOW) - service.clock.now());
      await call('POST', '/batch/', { api_key: project.api_token, batch: eventsOf(table) }, null);
    },
    ask: async (query) => (await call('POST', `${url}query/`, { query })).results,
  };
  await history.send(events);
  return history;
}

function eventsOf(table: string): object[] {
  const lines = table.split('\n').map((line) => line.trim());
  return lines.filter(Boolean).map((line) => {
    const [distinct_id, event, time = '', properties = '{}', rest] = line.split(/\s{2,}/);
    if (rest !== undefined || !event) throw new Error(`"${line}" is not an event.`);
    return { distinct_id, event, timestamp: new Date(instantOf(time)).toISOString(), properties: parse(properties) };
  });
}

function instantOf(text: string): number {
  const [, day = '', time = '', offset = 'Z'] = /^(\S+) (\d\d:\d\d(?::\d\d(?:\.\d{3})?)?)([+-]\d\d:\d\d)?$/.exec(text) ?? [];
  const instant = Date.parse(`${WEEK[day] ?? day}T${time}${offset}`);
  if (Number.isNaN(instant)) throw new Error(`"${text}" is not a time.`);
  return instant;
}

/** A line of the answers of trends, stickiness and lifecycle. */
interface Line {
  label: string;
  status?: string;
  data: number[];
  aggregated_value?: number;
  compare_label?: string;
}

/** The numbers of an answer by the names of its lines; of a total the number alone; of other kinds the results as they are. */
function readable(kind: string, results: readonly Line[]): unknown {
  if (!['TrendsQuery', 'StickinessQuery', 'LifecycleQuery'].includes(kind)) return results;
  const lines = results.map(({ label, status, data, aggregated_value, compare_label }) => {
    const name = status ?? (compare_label === 'previous' ? `${label} before` : label);
    return [name, aggregated_value === undefined ? data.map(rounded) : rounded(aggregated_value)] as const;
  });
  const named = Object.fromEntries(lines);
  expect(Object.keys(named), 'each line has a name of its own').toHaveLength(lines.length);
  return named;
}

const rounded = (number: number): number => Number(number.toFixed(6));

/** Monday to Wednesday. */
export const MON_TO_WED = { date_from: '2024-05-06', date_to: '2024-05-08' };

/** A series of events of one name (null: of all). */
export const of = (event: string | null, fields: object = {}): object => ({ kind: 'EventsNode', event, ...fields });

/** Trends of Monday to Wednesday, where `fields` say no other time. */
export const trends = (series: object | object[], fields: object = {}): Query => ({
  kind: 'TrendsQuery',
  series: [series].flat(),
  dateRange: MON_TO_WED,
  ...fields,
});

/** One number a line, of the whole time. */
export const TOTAL = { trendsFilter: { display: 'BoldNumber' } };
