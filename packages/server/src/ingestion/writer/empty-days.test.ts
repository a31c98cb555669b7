import { Registry } from 'prom-client';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ProjectByKey } from '../../auth/index.js';
import { EventsUnavailable } from '../../ports/events.js';
import { captured, type TestIngest, testIngest } from '../../testing/ingest.js';
import type { CapturedEvent, Intake } from '../capture.js';
import { createIntake } from '../index.js';

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
