import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EventsFull } from '../ports/events.js';
import { captured, type TestIngest, testIngest } from '../testing/ingest.js';
import { createIntake } from './index.js';

let world: TestIngest;
beforeAll(async () => {
  world = await testIngest();
});
afterAll(() => world.close());

test('a full store is logged once for many groups, and once when it accepts rows again', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line) => lines.push(JSON.parse(line).msg) });
  const intake = createIntake({ ...world.deps, metrics: new Registry(), log });
  const project = await world.project();
  const { clock } = world.deps;
  const send = () => intake.capture({ project, ip: '81.2.69.142', receivedAt: clock.now(), events: [captured()] });
  world.failInserts(3, () => new EventsFull('full'));
  for (let i = 0; i < 3; i++) await expect(send()).rejects.toBeInstanceOf(EventsFull);
  expect(intake.state()).toMatchObject({ refusing: 'full' });
  for (let i = 0; i < 2; i++) await send();
  expect(intake.state()).toMatchObject({ refusing: null });
  expect(lines).toEqual(['a group of events could not be stored', 'events are stored again']);
  await intake.close();
});
