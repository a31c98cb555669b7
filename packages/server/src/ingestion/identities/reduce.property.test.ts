import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createScheduler } from '../../adapters/system/index.js';
import { createCaches } from '../../caches/index.js';
import type { JsonObject } from '../../kernel/json.js';
import { type TestDatabase, testDatabase } from '../../testing/database.js';
import { personTask, testProject } from '../../testing/people.js';
import { devicePropertiesOf } from '../device-properties.js';
import { createPropertyCache } from './load-persons.js';
import { type PersonBatch, type PersonTask, personUuid } from './person-task.js';
import { resolvePersons } from './resolve.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'guest', 'n\0l', '\ud800');
const values = fc.dictionary(
  fc.constantFrom('p', 'q', 'r', '$current_url', '__proto__', 'x\0'),
  fc.constantFrom(1, 2, 'é', 'z\0', null),
  {
    maxKeys: 3,
  },
);
const task: fc.Arbitrary<PersonTask> = fc
  .record({
    kind: fc.constantFrom('event', 'event', '$set', '$identify', '$merge_dangerously', '$exception', 'quiet'),
    distinctId: id,
    source: id,
    timestamp: fc.integer({ min: 1_700_000_000_000, max: 1_700_000_000_500 }),
    set: values,
    setOnce: values,
    seen: fc.dictionary(fc.constantFrom('$current_url', '$browser'), fc.constantFrom(1, 'é', 'z\0', null)),
    unset: fc.array(fc.constantFrom('p', 'q'), { maxLength: 1 }),
  })
  .map(({ kind, source, seen, ...fields }) => {
    const merges = kind === '$identify' || kind === '$merge_dangerously';
    const merge = merges ? { source, force: kind === '$merge_dangerously' } : null;
    const device = devicePropertiesOf(seen, false);
    return personTask({ ...fields, device, event: kind, merge, identifies: merges, processProfile: kind !== 'quiet' });
  });

/** What is left in the database of a project: persons by their distinct ids. */
async function people(projectId: number) {
  const rows = await database.db
    .selectFrom('person_distinct_ids as d')
    .innerJoin('persons as p', 'p.id', 'd.person_id')
    .select(['d.distinct_id', 'p.uuid', 'p.properties', 'p.is_identified', 'p.created_at'])
    .where('d.project_id', '=', projectId)
    .execute();
  const own = new Map(rows.map((row) => [personUuid(projectId, row.distinct_id), row.distinct_id]));
  return Object.fromEntries(
    rows.map((row) => [
      row.distinct_id,
      {
        // uuids contain the project, so the test names them by the id that they were made of
        firstId: own.get(row.uuid),
        properties: JSON.stringify(Object.entries(row.properties ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))),
        isIdentified: row.is_identified,
        createdAt: row.created_at.getTime(),
      },
    ]),
  );
}

const services = { personProperties: createPropertyCache(createCaches({ now: () => 0 })) };
async function resolveIn(projectId: number, tasks: readonly PersonTask[], cuts: readonly number[]): Promise<PersonBatch[]> {
  const batches: PersonBatch[] = [];
  let at = 0;
  for (const cut of [...cuts, tasks.length]) {
    const part = tasks.slice(at, at + cut).map((one) => ({ ...one, projectId }));
    at += cut;
    const clock = { now: () => 1_700_000_000_000 + at };
    if (part.length > 0)
      batches.push(await resolvePersons({ db: database.db, clock, scheduler: createScheduler(), services }, part));
  }
  return batches;
}

/** The newest row of each key, as the event store keeps it. */
const newest = <R extends { version: number }>(rows: R[], key: (row: R) => string): Map<string, R> => {
  const latest = new Map<string, R>();
  for (const row of rows) {
    const other = latest.get(key(row));
    expect(other?.version).not.toBe(row.version);
    if (!other || other.version < row.version) latest.set(key(row), row);
  }
  return latest;
};

test('for any batches of events both stores have the persons of a reference computation', async () => {
  const cuts = fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(fc.array(task, { maxLength: 16 }), cuts, async (tasks, cuts) => {
      const [whole, split, single] = [
        await testProject(database.db),
        await testProject(database.db),
        await testProject(database.db),
      ];
      await resolveIn(whole, tasks, []);
      const batches = await resolveIn(split, tasks, cuts);
      await resolveIn(
        single,
        tasks,
        tasks.map(() => 1),
      );
      const expected = retell(tasks);
      expect(await people(whole)).toEqual(expected);
      expect(await people(single)).toEqual(expected);
      const found = await people(split);
      expect(found).toEqual(expected);

      const persons = newest(
        batches.flatMap((batch) => batch.persons),
        (row) => row.person_id,
      );
      const overrides = newest(
        batches.flatMap((batch) => batch.overrides),
        (row) => row.distinct_id,
      );
      for (const [distinctId, person] of Object.entries(found)) {
        const uuid = overrides.get(distinctId)?.person_id ?? personUuid(split, distinctId);
        expect(uuid).toBe(personUuid(split, person.firstId ?? '?'));
        const { is_deleted, is_identified, properties } = persons.get(uuid) ?? {};
        expect({ is_deleted, is_identified }).toEqual({ is_deleted: false, is_identified: person.isIdentified });
        expect(JSON.stringify(Object.entries(properties ?? {}).sort(([a], [b]) => (a < b ? -1 : 1)))).toBe(person.properties);
      }
      const living = new Set(Object.values(found).map(({ firstId }) => personUuid(split, firstId ?? '?')));
      for (const row of persons.values()) expect(row.is_deleted).toBe(!living.has(row.person_id));
    }),
    { numRuns: 60 },
  );
});

interface NaivePerson {
  firstId: string;
  values: Map<string, unknown>;
  isIdentified: boolean;
  createdAt: number;
}

/** The rules once more, written naively. */
function retell(tasks: readonly PersonTask[]) {
  const owner = new Map<string, NaivePerson>();
  const clean = (text: string) => text.replaceAll('\0', '\ufffd').replaceAll('\ud800', '\ufffd');
  for (const one of tasks) {
    if (!one.processProfile) continue;
    const me = clean(one.distinctId);
    const other = one.merge ? clean(one.merge.source) : me;
    const born = (): NaivePerson => ({ firstId: me, values: new Map(), isIdentified: false, createdAt: one.timestamp });
    if (other !== me && other !== 'guest' && me !== 'guest') {
      const source = owner.get(other);
      const target = owner.get(me);
      if (source && target) {
        if (source !== target && (!source.isIdentified || one.merge?.force)) {
          target.values = new Map([...source.values, ...target.values]);
          target.createdAt = Math.min(source.createdAt, target.createdAt);
          target.isIdentified = true;
          for (const [key, person] of owner) if (person === source) owner.set(key, target);
        }
      } else {
        const person = source ?? target ?? born();
        owner.set(me, person);
        owner.set(other, person);
      }
    }
    const person = owner.get(me) ?? born();
    owner.set(me, person);
    if (one.identifies && me !== 'guest') person.isIdentified = true;
    if (one.event === '$exception') continue;
    const next = new Map(person.values);
    const seen = cleaned(one.device.values);
    const first = seen.map(([key, value]): [string, unknown] => [key.replace('$', '$initial_'), value]);
    for (const [key, value] of new Map([...first, ...cleaned(one.setOnce)])) if (!next.has(key)) next.set(key, value);
    for (const [key, value] of [...seen, ...cleaned(one.set)]) next.set(key, value);
    for (const key of one.unset) next.delete(key);
    const noiseOnly = [...next.keys()].every(
      (key) => key === '$current_url' || key === '$browser' || next.get(key) === person.values.get(key),
    );
    const sameKeys = next.size === person.values.size && [...next.keys()].every((key) => person.values.has(key));
    if (one.event !== 'event' || !sameKeys || !noiseOnly) person.values = next;
  }
  return Object.fromEntries(
    [...owner].map(([key, { firstId, values, isIdentified, createdAt }]) => [
      key,
      { firstId, properties: JSON.stringify([...values].sort(([a], [b]) => (a < b ? -1 : 1))), isIdentified, createdAt },
    ]),
  );
}

const cleaned = (object: JsonObject): [string, unknown][] =>
  Object.entries(object).map(([key, value]) => [
    key.replaceAll('\0', '\ufffd'),
    typeof value === 'string' ? value.replaceAll('\0', '\ufffd') : value,
  ]);
