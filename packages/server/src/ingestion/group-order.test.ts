import { Registry } from 'prom-client';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { ProjectByKey } from '../auth/index.js';
import type { EventsStore } from '../ports/events.js';
import { captured, type TestIngest, testIngest } from '../testing/ingest.js';
import type { CapturedEvent, Intake } from './capture.js';
import { createIntake } from './index.js';

let world: TestIngest;
let intake: Intake;
beforeAll(async () => {
  world = await testIngest();
});
afterAll(() => world.close());
afterEach(() => intake.close());

/** Starts an intake whose first insert of events waits until `go` is called. `second` resolves when another one is done. */
function startHeld() {
  const { insert } = world.deps.events;
  let go = () => {};
  const held = new Promise<void>((resolve) => (go = resolve));
  let inserts = 0;
  let storedLater = () => {};
  const second = new Promise<void>((resolve) => (storedLater = resolve));
  const events: EventsStore = {
    ...world.deps.events,
    insert: async (table, ...rest) => {
      const isFirst = table === 'events' && ++inserts === 1;
      if (isFirst) await held;
      const refused = await insert(table, ...rest);
      if (table === 'events' && !isFirst) storedLater();
      return refused;
    },
  };
  intake = createIntake({ ...world.deps, metrics: new Registry(), events });
  return { go, second, isHeld: () => expect.poll(() => inserts).toBe(1) };
}

const send = (project: ProjectByKey, sent: CapturedEvent[], isHistorical = false) =>
  intake.capture({ project, ip: '81.2.69.142', receivedAt: Date.now(), events: sent, isHistorical });

async function countOf({ id }: ProjectByKey): Promise<unknown> {
  const sql = 'select count() as n from events where project_id = {project:UInt32}';
  return (await world.deps.events.query({ sql, params: { project: id } })).rows;
}

test.each([false, true])(
  'an event that is repeated in a later group has the outcome of the earlier one, even if the other events of the later group are stored first; the earlier one is of a history: %s',
  async (isHistorical) => {
    const project = await world.project();
    const { go, second: later, isHeld } = startHeld();
    const event = captured();
    const first = send(project, [event], isHistorical);
    await isHeld();
    const other = captured({ event: 'other' });
    const second = send(project, [event, other]).catch((error: Error) => error.message);
    await later;
    // time for an answer that does not wait
    for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
    go();
    expect(await first).toEqual([{ uuid: event.uuid, result: 'ok' }]);
    expect(await second).toEqual([
      { uuid: event.uuid, result: 'ok' },
      { uuid: other.uuid, result: 'ok' },
    ]);
    expect(await countOf(project)).toEqual([{ n: 2 }]);
  },
);

test('an event is answered while a history that came before it is still being stored', async () => {
  const project = await world.project();
  const { go, isHeld } = startHeld();
  const old = captured();
  const history = send(project, [old], true);
  await isHeld();
  const event = captured();
  expect(await send(project, [event])).toEqual([{ uuid: event.uuid, result: 'ok' }]);
  go();
  expect(await history).toEqual([{ uuid: old.uuid, result: 'ok' }]);
  expect(await countOf(project)).toEqual([{ n: 2 }]);
});
