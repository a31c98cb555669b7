import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { EventsStore } from '../ports/events.js';
import { captured, type TestIngest, testIngest } from '../testing/ingest.js';
import type { CapturedEvent, Intake } from './capture.js';
import { createIntake } from './index.js';

let world: TestIngest;
let intake: Intake;
beforeAll(async () => {
  world = await testIngest();
});
afterAll(async () => {
  await intake.close();
  await world.close();
});

test('an event that is repeated in a later group has the outcome of the earlier one, even if the other events of the later group are stored first', async () => {
  const project = await world.project();
  const { insert } = world.deps.events;
  let go = () => {};
  const held = new Promise<void>((resolve) => (go = resolve));
  let inserts = 0;
  let storedLater = () => {};
  const later = new Promise<void>((resolve) => (storedLater = resolve));
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
  const send = (...sent: CapturedEvent[]) => intake.capture({ project, ip: '81.2.69.142', receivedAt: Date.now(), events: sent });
  const event = captured();
  const first = send(event);
  await vi.waitFor(() => expect(inserts).toBe(1));
  const other = captured({ event: 'other' });
  const second = send(event, other).catch((error: Error) => error.message);
  await later;
  // time for an answer that does not wait
  for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
  go();
  expect(await first).toEqual([{ uuid: event.uuid, result: 'ok' }]);
  expect(await second).toEqual([
    { uuid: event.uuid, result: 'ok' },
    { uuid: other.uuid, result: 'ok' },
  ]);
  const sql = 'select count() as n from events where project_id = {project:UInt32}';
  expect((await world.deps.events.query({ sql, params: { project: project.id } })).rows).toEqual([{ n: 2 }]);
});
