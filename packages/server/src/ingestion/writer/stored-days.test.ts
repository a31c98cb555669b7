import { array, assert, asyncProperty, constantFrom, integer, oneof, record } from 'fast-check';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ProjectByKey } from '../../auth/index.js';
import { createCaches } from '../../caches/index.js';
import { type EventsStore, EventsUnavailable, type ReadStatement } from '../../ports/events.js';
import { eventRow } from '../../testing/events.js';
import { captured, type TestIngest, testIngest } from '../../testing/ingest.js';
import type { CapturedEvent, Intake } from '../capture.js';
import { createIntake } from '../index.js';
import { RecentUuids } from './recent-uuids.js';
import { StoredDays } from './stored-days.js';
import type { StoredKey } from './stored-store.js';

let world: TestIngest;
let project: ProjectByKey;
beforeAll(async () => {
  world = await testIngest();
});
afterAll(() => world?.close());
beforeEach(async () => {
  project = await world.project();
});

const DAY = 86_400_000;
const at = (day: number, hour = 12) => Date.UTC(2021, 4, 1, hour) + day * DAY;
const past = (time: number): CapturedEvent => captured({ timestamp: time, clientTime: time });

/** A process on the stores, with the number of events that it has looked up. */
async function withProcess(
  work: (one: {
    send: (events: CapturedEvent[]) => ReturnType<Intake['capture']>;
    lookups: () => Promise<number>;
  }) => Promise<void>,
): Promise<void> {
  const metrics = new Registry();
  const intake = createIntake({ ...world.deps, metrics });
  const lookups = async () =>
    (await metrics.getSingleMetric('tidemark_ingest_lookup_events_total')?.get())?.values[0]?.value ?? 0;
  const send = (events: CapturedEvent[]) => intake.capture({ project, ip: '', receivedAt: world.deps.clock.now(), events });
  try {
    await work({ send, lookups });
  } finally {
    await intake.close();
  }
}

/** How often each event is stored, without merging away what was stored twice. */
async function copiesOf(events: readonly CapturedEvent[]): Promise<number[]> {
  const { rows } = await world.deps.events.query<{ uuid: string }>({
    sql: 'select uuid from events where project_id = {project:UInt32}',
    params: { project: project.id },
  });
  return events.map(({ uuid }) => rows.filter((row) => row.uuid === uuid).length);
}

test('old events of days without events are not looked up, and repetitions are stored once', async () => {
  const first = [past(at(0)), past(at(1)), past(at(2))];
  const second = [past(at(1, 13)), past(at(2, 23))];
  await withProcess(async ({ send, lookups }) => {
    await send(first);
    // their days have events now, which this process remembers
    const results = await send([...second, ...first]);
    expect(results.map(({ result }) => result)).toEqual(Array(5).fill('ok'));
    expect(await lookups()).toBe(0);
    // a day after a stored one may have an event with a later corrected time
    await send([past(at(3))]);
    expect(await lookups()).toBe(0);
  });
  expect(await copiesOf([...first, ...second])).toEqual(Array(5).fill(1));
});

test('another process looks events up in days that have some, and stores them once', async () => {
  const events = [past(at(0)), past(at(40))];
  await withProcess(({ send }) => send(events).then(() => {}));
  await withProcess(async ({ send, lookups }) => {
    const later = [past(at(0, 20)), past(at(1, 11)), past(at(90))];
    await send([...events, ...later]);
    // the last one is far from all others
    expect(await lookups()).toBe(4);
    expect(await copiesOf([...events, ...later])).toEqual(Array(5).fill(1));
    await send([...events, ...later]);
    expect(await copiesOf([...events, ...later])).toEqual(Array(5).fill(1));
  });
});

test('late events of a day with events are looked up until its list was read, and a copy is still stored once', async () => {
  const stored = past(at(0));
  await withProcess(({ send }) => send([stored]).then(() => {}));
  await withProcess(async ({ send, lookups }) => {
    const late = Array.from({ length: 150 }, () => past(at(0, 20)));
    await send(late);
    expect(await lookups()).toBe(150);
    const after = await vi.waitFor(async () => {
      const before = await lookups();
      await send([past(at(0, 20))]);
      expect(await lookups()).toBe(before);
      return before;
    });
    await send(Array.from({ length: 150 }, () => past(at(0, 9))));
    expect(await lookups()).toBe(after);
    await send([stored]);
    expect(await lookups()).toBe(after + 1);
    await send([...late, stored]);
    expect(await copiesOf([stored, ...late])).toEqual(Array(151).fill(1));
  });
});

test('an insert with an unknown outcome is looked up, whatever its day', async () => {
  const events = [past(at(0)), past(at(10))];
  await withProcess(async ({ send, lookups }) => {
    world.failInserts(2, () => new EventsUnavailable('no answer'), 'after');
    await expect(send(events)).rejects.toThrow();
    const results = await send(events);
    expect(results.map(({ result }) => result)).toEqual(['ok', 'ok']);
    expect(await lookups()).toBeGreaterThan(0);
    expect(await copiesOf(events)).toEqual([1, 1]);
  });
});

test('any time of an event has days', async () => {
  const events = [-1, 0, 4_294_967_295_000, Date.UTC(2149, 5, 6)].map(past);
  await withProcess(async ({ send }) => {
    await send(events);
    const results = await send(events);
    expect(results.map(({ result }) => result)).toEqual(Array(4).fill('ok'));
  });
  expect(await copiesOf(events)).toEqual(Array(4).fill(1));
});

const CAPACITY = 64;
const LATE = Date.UTC(2021, 4, 1, 12);
const FIRST_DAY = LATE / DAY - 0.5;
const uuidOf = (number: number) => `00000000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`;
const isList = ({ sql }: ReadStatement) => sql.includes('groupArray');

/** Stored days on a store, with uuids that are recent and small limits. */
function storedDays(events: Pick<EventsStore, 'query'>, limits = { lookups: 1, listed: 1_000 }) {
  const recent = new RecentUuids(0, CAPACITY);
  const days = new StoredDays(events, recent, createCaches(world.deps.clock), limits);
  return { recent, days };
}

let fillers = 0;

/** Lets a generation of recent uuids pass. */
function pass(recent: RecentUuids): void {
  const { generation } = recent;
  while (recent.generation === generation) {
    const uuid = uuidOf(1_000_000 + ++fillers);
    recent.reserve(1_000_000, uuid, 0);
    recent.settle(1_000_000, uuid, true);
  }
}

describe('lists of a store', () => {
  // with bytes that are zero at each place, and with the highest bit
  const ENDS = ['00000000', '00000001', '01000000', '000000ff', '00ff0000', '80000000', 'fffffffe', 'deadbe00', 'c0ffee12'];
  const uuidWith = (end: string) => `0185e4b0-7c3a-7e6f-9d1c-5a2b${end}`;
  const key = (uuid: string): StoredKey => ({ projectId: project.id, uuid, event: 'one', distinctId: 'ann', timestamp: LATE });
  let statements: ReadStatement[];
  let fail: boolean;
  let store: Pick<EventsStore, 'query'>;
  beforeEach(async () => {
    statements = [];
    fail = false;
    store = {
      query: async (statement) => {
        statements.push(statement);
        if (fail && isList(statement)) throw new EventsUnavailable('no answer');
        return world.deps.events.query(statement);
      },
    };
    const rows = ENDS.map((end, i) =>
      eventRow(i, { project_id: project.id, uuid: uuidWith(end), timestamp: LATE + (i % 2) * (DAY / 2 - 1) }),
    );
    const others = ['00000002', '7fffffff'].flatMap((end) => [
      eventRow(1, { project_id: project.id, uuid: uuidWith(end), timestamp: LATE + DAY / 2 }),
      eventRow(1, { project_id: project.id + 1_000_000, uuid: uuidWith(end), timestamp: LATE }),
    ]);
    await world.deps.events.insert('events', [...rows, ...others], { token: world.deps.ids.uuid() });
    // stale reads see them
    await world.deps.events.query({ sql: 'select 1' });
  });
  const maybe = async (days: StoredDays, ends: readonly string[]) => {
    const found = await days.notIn(ends.map(uuidWith), key);
    return found.map((uuid) => uuid.slice(-8));
  };
  const lists = () => statements.filter(isList).length;

  test('they have the last 32 bits of each uuid of the day and the project, and of no other', async () => {
    const { days } = storedDays(store);
    const absent = ['00000002', '00000100', '7fffffff', 'ffffffff', 'c0ffee13'];
    expect(await maybe(days, absent)).toEqual(absent);
    await vi.waitFor(async () => expect(await maybe(days, absent)).toEqual([]));
    expect(await maybe(days, [...absent, ...ENDS, 'DEADBE00'])).toEqual([...ENDS, 'DEADBE00']);
    expect(lists()).toBe(1);
  });

  test('one is read after so many lookups, and again when the recent uuids have passed', async () => {
    const { days, recent } = storedDays(store, { lookups: 10, listed: 1_000 });
    const absent = ['00000003', '00000004', '00000005'];
    for (let i = 0; i < 3; i++) expect(await maybe(days, absent)).toEqual(absent);
    expect(lists()).toBe(0);
    await vi.waitFor(async () => expect(await maybe(days, absent)).toEqual([]));
    expect(lists()).toBe(1);
    pass(recent);
    expect(await maybe(days, absent)).toEqual(absent);
    await vi.waitFor(async () => expect(await maybe(days, absent)).toEqual([]));
    expect(lists()).toBe(2);
  });

  test('a list that cannot be read leaves the lookups as they are', async () => {
    const { days } = storedDays(store, { lookups: 3, listed: 1_000 });
    fail = true;
    for (let i = 0; i < 12; i++) expect(await maybe(days, ['00000003', ENDS[0] ?? ''])).toEqual(['00000003', ENDS[0]]);
    // one after each three lookups
    expect(lists()).toBeGreaterThan(1);
    expect(lists()).toBeLessThanOrEqual(8);
    fail = false;
    await vi.waitFor(async () => expect(await maybe(days, ['00000003'])).toEqual([]));
  });

  test('a day with too many events is looked up, and counted once in a generation', async () => {
    const { days, recent } = storedDays(store, { lookups: 1, listed: ENDS.length - 1 });
    const isLooked = async () => expect(await maybe(days, ['00000003'])).toEqual(['00000003']);
    await isLooked();
    await vi.waitFor(() => expect(lists()).toBe(1));
    for (let i = 0; i < 20; i++) {
      await isLooked();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(lists()).toBe(1);
    pass(recent);
    await isLooked();
    await vi.waitFor(() => expect(lists()).toBe(2));
    const enough = storedDays(store, { lookups: 1, listed: ENDS.length }).days;
    await vi.waitFor(async () => expect(await maybe(enough, ['00000003'])).toEqual([]));
  });
});

interface Stored {
  uuid: string;
  day: number;
  /** The generation in which it was reserved. */
  generation: number;
}

/** A store whose statements see the rows of their beginning, and end when the test lets them. */
class SlowStore implements Pick<EventsStore, 'query'> {
  readonly tables: Stored[] = [];
  readonly running: { isList: boolean; end(fails: boolean): void }[] = [];

  query<Row>(statement: ReadStatement): Promise<{ rows: Row[]; columns: [] }> {
    const { day, days = [] } = statement.params as { day?: number; days?: number[] };
    const rows: unknown[] = isList(statement)
      ? [this.#listOf(day)]
      : days.filter((one) => this.#of(one).length > 0).map((one) => ({ day: one }));
    return new Promise((resolve, reject) => {
      const end = (fails: boolean) =>
        fails ? reject(new EventsUnavailable('no answer')) : resolve({ rows: rows as Row[], columns: [] });
      this.running.push({ isList: isList(statement), end });
    });
  }

  #of = (day: number | undefined) => this.tables.filter((one) => one.day === day);

  #listOf(day: number | undefined) {
    const ends = this.#of(day).map(({ uuid }) => Number.parseInt(uuid.slice(-8), 16));
    const bytes = Buffer.alloc(ends.length * 4);
    for (const [i, end] of ends.toSorted((a, b) => a - b).entries()) bytes.writeUInt32LE(end, i * 4);
    return { stored: ends.length, ends: bytes.toString('base64url') };
  }
}

/** What dedup does with events that have to be looked up, on a store whose parts the test moves one by one. */
class Model {
  readonly store = new SlowStore();
  readonly #days = storedDays(this.store);
  /** Reserved, while nobody knows yet whether they are stored. */
  readonly #sent = new Set<Stored>();
  /** Reserved, and being stored. */
  readonly #inserting = new Set<Stored>();
  /** In the log alone. */
  readonly #log = new Set<Stored>();
  readonly #durable = new Set<string>();
  readonly missed: string[] = [];
  spared = 0;

  get #recent() {
    return this.#days.recent;
  }

  async send(number: number): Promise<void> {
    const one = { uuid: uuidOf(number), day: FIRST_DAY + (number % 2), generation: this.#recent.generation };
    if (this.#recent.reserve(1, one.uuid, 0) !== 'absent') return;
    this.#sent.add(one);
    const key = { projectId: 1, uuid: one.uuid, timestamp: LATE + (number % 2) * DAY };
    const lookedUp = await this.#days.days.notIn([one], () => key).catch(() => null);
    const isStored = this.#durable.has(one.uuid);
    if (lookedUp?.length === 0) {
      this.spared++;
      if (isStored) this.missed.push(one.uuid);
    }
    this.#sent.delete(one);
    if (lookedUp && !isStored) this.#inserting.add(one);
    else this.#recent.settle(1, one.uuid, lookedUp !== null);
  }

  /** Inserts end: their rows are durable. */
  insert(): void {
    for (const one of this.#inserting) {
      this.#inserting.delete(one);
      this.#log.add(one);
      this.#durable.add(one.uuid);
      this.#recent.settle(1, one.uuid, true);
    }
  }

  apply(): void {
    this.store.tables.push(...this.#log);
    this.#log.clear();
  }

  /** The generation passes. What was reserved in the one before it has been stored long since. */
  async pass(): Promise<void> {
    const isOld = ({ generation }: Stored) => generation < this.#recent.generation;
    if ([...this.#sent].some(isOld)) await this.end();
    if ([...this.#inserting].some(isOld)) this.insert();
    if ([...this.#log].some(isOld)) this.apply();
    pass(this.#recent);
  }

  reset(): void {
    this.#recent.resetCoverage(0);
  }

  /** Ends what somebody waits for. */
  async end(): Promise<void> {
    for (;;) {
      await settled();
      const reads = this.store.running.findIndex(({ isList }) => !isList);
      if (reads < 0) return;
      this.store.running.splice(reads, 1)[0]?.end(false);
    }
  }

  answer(fails: boolean): void {
    this.store.running.shift()?.end(fails);
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('whatever happens at the same time, an event that nobody looks up is not stored', async () => {
  const step = oneof(
    { weight: 6, arbitrary: record({ do: constantFrom('send' as const), number: integer({ min: 0, max: 5 }) }) },
    { weight: 5, arbitrary: record({ do: constantFrom('answer' as const), fails: constantFrom(false, false, false, true) }) },
    { weight: 6, arbitrary: record({ do: constantFrom('insert' as const, 'apply' as const, 'pass' as const) }) },
    { weight: 1, arbitrary: record({ do: constantFrom('end' as const) }) },
    { weight: 1, arbitrary: record({ do: constantFrom('reset' as const) }) },
  );
  let spared = 0;
  await assert(
    asyncProperty(array(step, { minLength: 20, maxLength: 80 }), async (steps) => {
      const model = new Model();
      for (const one of steps) {
        if (one.do === 'send') void model.send(one.number);
        else if (one.do === 'answer') model.answer(one.fails);
        else await model[one.do]();
        await settled();
      }
      await model.end();
      expect(model.missed).toEqual([]);
      // lists are read one after the other
      expect(model.store.running.length).toBeLessThanOrEqual(1);
      spared += model.spared;
    }),
    { numRuns: 1_000 },
  );
  expect(spared).toBeGreaterThan(500);
});
