import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EventsStore } from '../../ports/events.js';
import { eventRow, type TestEvents, testEvents } from '../../testing/events.js';
import { createChanges } from './changes.js';

let events: TestEvents;
beforeAll(async () => {
  events = await testEvents();
});
afterAll(() => events.close());

const DAY = 86_400_000;
const PERSON = '00000000-0000-4000-8000-000000000abc';
const merge = (project_id: number, distinct_id: string) => ({ project_id, distinct_id, person_id: PERSON, version: 1 });

test('versions of days are found while somebody is merged during each look-up, and the next caller gets that merge', async () => {
  const first = eventRow(1, { project_id: 7, distinct_id: 'first', timestamp: 10 * DAY });
  const second = eventRow(2, { project_id: 7, distinct_id: 'second', timestamp: 20 * DAY });
  await events.put('events', [first, second]);
  let lookUps = 0;
  const query: EventsStore['query'] = (statement) => {
    lookUps += 1;
    changes.inserted('person_overrides', [merge(7, 'second')]);
    return events.store.query(statement);
  };
  const changes = createChanges(query);
  const before = await changes.versionOf(7).days();
  changes.inserted('person_overrides', [merge(7, 'first')]);

  const during = await changes.versionOf(7).days();
  expect(lookUps).toBe(1);
  expect(during.day(10)).not.toBe(before.day(10));
  expect(during.day(20)).toBe(before.day(20));

  const after = await changes.versionOf(7).days();
  expect(lookUps).toBe(2);
  expect(after.day(20)).not.toBe(before.day(20));
  expect(after.day(10)).toBe(during.day(10));
});
