import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { validate } from '../http/validate.js';
import type { EventRow } from '../ports/events.js';
import { eventRow, type TestEvents } from '../testing/events.js';
import { byActor, HISTORY_START, histories, people, personOf, putMerges, putRows, rowsOf } from '../testing/histories.js';
import { type NaiveBehavior, naiveBehaved } from '../testing/naive-cohorts.js';
import { testProject } from '../testing/people.js';
import { runs } from '../testing/runs.js';
import { startTestService, type TestService } from '../testing/service.js';
import type { ListResult } from './kinds/kind.js';
import { findPeople } from './people.js';
import { querySchema } from './query.js';
import { runQuery } from './run.js';

let service: TestService;
let events: TestEvents;
beforeAll(async () => {
  service = await startTestService();
  const { events: store } = service.deps;
  let inserts = 0;
  const put: TestEvents['put'] = (table, rows) => store.insert(table, rows, { token: `behavior-${++inserts}` });
  events = { store, put, close: service.close };
  await putMerges(events);
});
afterAll(() => service.close());

const HOUR = 3_600_000;
const ZONES = ['Europe/Berlin', 'Australia/Lord_Howe', 'America/St_Johns', 'UTC'];

const interval = fc.constantFrom(['minute', 90], ['hour', 80], ['day', 9], ['week', 2], ['month', 2], ['year', 1]);
const length = interval.chain(([time_interval, most]) =>
  fc.record({ time_interval: fc.constant(String(time_interval)), time_value: fc.integer({ min: 1, max: Number(most) }) }),
);
const date = fc.constantFrom('2024-03-31', '2024-04-02', '2024-04-02T10:00', '2024-04-07', '-3d', '-1d');
const span = fc.oneof(
  length,
  length,
  fc.record(
    { explicit_datetime: fc.oneof(date, fc.constant('all')), explicit_datetime_to: date },
    { requiredKeys: ['explicit_datetime'] },
  ),
);
const times = fc.record({
  operator: fc.constantFrom('gte', 'lte', 'exact', 'gt', 'lt'),
  operator_value: fc.nat(5),
});
const phases = fc
  .constantFrom(['day', 1, 'hour'], ['day', 2, 'day'], ['week', 1, 'day'], ['month', 1, 'week'])
  .chain(([time_interval, recent, seq_time_interval]) =>
    fc.record({
      time_interval: fc.constant(String(time_interval)),
      time_value: fc.integer({ min: 3, max: 5 }),
      seq_time_value: fc.constant(Number(recent)),
      seq_time_interval: fc.constant(String(seq_time_interval)),
    }),
  );
const periods = fc.integer({ min: 1, max: 9 }).chain((total_periods) =>
  fc.record({
    total_periods: fc.constant(total_periods),
    min_periods: fc.integer({ min: 1, max: total_periods }),
    time_value: fc.integer({ min: 1, max: 3 }),
    time_interval: fc.constantFrom('hour', 'day', 'day', 'week', 'month'),
  }),
);
const filter = fc.oneof(
  fc.record({ key: fc.constant('plan'), operator: fc.constantFrom('exact', 'is_not', 'is_set'), value: fc.constant(['pro']) }),
  fc.record({ key: fc.constant('path'), operator: fc.constantFrom('icontains', 'is_not_set'), value: fc.constant(['/a']) }),
);
const common = fc.record({
  key: fc.constantFrom('a', 'b', 'c', null),
  negation: fc.boolean(),
  event_filters: fc.oneof(fc.constant([]), fc.array(filter, { minLength: 1, maxLength: 2 })),
});
const kindOf = (value: string, ...parts: fc.Arbitrary<object>[]): fc.Arbitrary<object> =>
  fc.tuple(common, ...parts).map((all) => Object.assign({ value }, ...all));
const behavior = fc.oneof(
  kindOf('performed_event', span),
  kindOf('performed_event_multiple', span, times),
  kindOf('performed_event_first_time', span),
  kindOf('performed_event_regularly', periods, fc.oneof(times, fc.constant({}))),
  kindOf('stopped_performing_event', phases),
  kindOf('restarted_performing_event', phases),
) as fc.Arbitrary<NaiveBehavior>;

async function makeCohort(projectId: number, condition: NaiveBehavior): Promise<number> {
  const filters = JSON.stringify({ properties: { type: 'AND', values: [{ type: 'behavioral', ...condition }] } });
  const row = { project_id: projectId, filters, created_at: new Date(0), updated_at: new Date(0) };
  return (await service.deps.db.insertInto('cohorts').values(row).returning('id').executeTakeFirstOrThrow()).id;
}

/** A project with these events, and profiles of all people but one; who was merged into another has none any more. */
async function makeProject(history: (id: number) => EventRow[], timezone: string): Promise<{ id: number; rows: EventRow[] }> {
  const id = await testProject(service.deps.db);
  await service.deps.db.updateTable('projects').set({ timezone }).where('id', '=', id).execute();
  const rows = history(id);
  await putRows(events, rows);
  const profile = { project_id: id, properties: {}, is_identified: true, is_deleted: false, created_at: 0, version: 1 };
  await events.put(
    'persons',
    PROFILES.map((person_id) => ({ ...profile, person_id })),
  );
  return { id, rows };
}
const PROFILES = people.filter((_, index) => ![1, 2, 8].includes(index));

test('behavioral cohorts have the persons of a reference computation', async () => {
  await fc.assert(
    fc.asyncProperty(
      histories,
      fc.integer({ min: 60, max: 330 }),
      fc.boolean(),
      fc.constantFrom(...ZONES),
      fc.array(behavior, { minLength: 12, maxLength: 12 }),
      async (history, hour, isLater, zone, behaviors) => {
        const now = HISTORY_START + hour * HOUR + Number(isLater);
        const { id, rows } = await makeProject((project) => rowsOf(history, project), zone);
        const done = byActor(rows, personOf);
        const deps = { ...service.deps, clock: { ...service.deps.clock, now: () => now } };
        for (const condition of behaviors) {
          const cohort = [{ type: 'cohort', key: 'id', value: await makeCohort(id, condition) }];
          const expected = (of: readonly string[]) =>
            of.filter((person) => naiveBehaved(condition, done.get(person) ?? [], now, zone)).sort();
          const found = await findPeople(deps, id, cohort, { limit: 100, offset: 0 });
          expect(found.sort(), JSON.stringify(condition)).toEqual(expected(PROFILES));
          // events of people without a profile too
          const query = { kind: 'EventsQuery', select: ['person_id'], properties: cohort, limit: 500, after: '2000-01-01' };
          const context = { projectId: id, timezone: zone, now, db: deps.db };
          const { results } = (await runQuery(deps.events, validate(querySchema, query), context)) as ListResult;
          const seen = [...new Set(results.flat().map(String))].sort();
          expect(seen, JSON.stringify(condition)).toEqual(expected([...done.keys()]));
        }
      },
    ),
    // every attempt stores events: to look for a smaller one would take too long
    { ...runs(5), endOnFailure: true },
  );
});

describe('to the millisecond', () => {
  const NOW = Date.UTC(2024, 3, 2, 8);
  // three days before by the clock of Berlin, which was put forward meanwhile
  const BORDER = Date.UTC(2024, 2, 30, 9);
  const TIMES = [[BORDER], [BORDER + 1], [NOW], [NOW + 1], [BORDER, NOW], [BORDER + 1, NOW]];
  const days = { time_interval: 'day', time_value: 3 };
  const regularly = { value: 'performed_event_regularly', ...days, total_periods: 2 };
  let project: { id: number; rows: EventRow[] };
  beforeAll(async () => {
    const own = (project_id: number) =>
      TIMES.flatMap((times, index) =>
        times.map((timestamp, more) => {
          const [distinct_id, person_id = ''] = [`e${index}`, PROFILES[index]];
          return eventRow(index * 2 + more, { project_id, event: 'a', distinct_id, person_id, timestamp });
        }),
      );
    project = await makeProject(own, 'Europe/Berlin');
  });

  test.each<[Omit<NaiveBehavior, 'key'>, number[]]>([
    [{ value: 'performed_event', ...days }, [1, 2, 4, 5]],
    [{ value: 'performed_event', time_interval: 'hour', time_value: 71 }, [1, 2, 4, 5]],
    [{ value: 'performed_event_multiple', ...days, operator: 'exact', operator_value: 1 }, [1, 2, 4]],
    [{ value: 'performed_event_first_time', ...days }, [1, 2, 5]],
    [{ ...regularly, min_periods: 2 }, [4]],
    [{ ...regularly, min_periods: 2, operator: 'lt', operator_value: 2 }, [0, 1, 2, 3, 4]],
    [
      { value: 'stopped_performing_event', time_interval: 'week', time_value: 1, seq_time_interval: 'day', seq_time_value: 3 },
      [0],
    ],
    [{ value: 'restarted_performing_event', ...days, seq_time_interval: 'day', seq_time_value: 1 }, [4]],
    [{ value: 'performed_event', explicit_datetime: '2024-03-30T10:00' }, [0, 1, 2, 4, 5]],
    [{ value: 'performed_event', explicit_datetime: 'all', explicit_datetime_to: '2024-03-30T10:00' }, [0, 4]],
    [{ value: 'performed_event', explicit_datetime: '2024-03-30', explicit_datetime_to: '2024-03-30' }, [0, 1, 4, 5]],
  ])('%j', async (rest, expected) => {
    const condition = { key: 'a', ...rest };
    const done = byActor(project.rows, personOf);
    const plain = PROFILES.filter((person) => naiveBehaved(condition, done.get(person) ?? [], NOW, 'Europe/Berlin'));
    const cohort = [{ type: 'cohort', key: 'id', value: await makeCohort(project.id, condition) }];
    const deps = { ...service.deps, clock: { ...service.deps.clock, now: () => NOW } };
    const found = await findPeople(deps, project.id, cohort, { limit: 100, offset: 0 });
    const numbers = (of: readonly string[]) => of.map((person) => PROFILES.indexOf(person)).sort();
    expect([numbers(found), numbers(plain)]).toEqual([expected, expected]);
  });
});
