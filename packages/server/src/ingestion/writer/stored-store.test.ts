import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventRow, type TestEvents, testEvents } from '../../testing/events.js';
import { cleanText } from '../storable.js';
import { findStored, type StoredKey, storedKey } from './stored-store.js';

const HOUR = 3_600_000;
const NOON = Date.UTC(2024, 0, 15, 12);
const EVENTS = 60;

let events: TestEvents;
/** Of events with names and distinct ids of their own, as clients send them. */
let keys: StoredKey[];
beforeAll(async () => {
  events = await testEvents();
  keys = Array.from({ length: EVENTS }, (_, i) => ({
    projectId: 1 + (i % 2),
    uuid: eventRow(i).uuid,
    event: `event ${i % 7}\0`,
    distinctId: `person \ud800${i % 11}`,
    timestamp: NOON + i * HOUR,
  }));
  const rows = keys.map((key, i) =>
    eventRow(i, {
      project_id: key.projectId,
      event: cleanText(key.event),
      distinct_id: cleanText(key.distinctId),
      timestamp: key.timestamp,
    }),
  );
  await events.put('events', rows);
});
afterAll(() => events?.close());

const found = async (wanted: readonly StoredKey[]) => [...(await findStored(events.store, wanted)).found].sort();
const named = (wanted: readonly StoredKey[]) => wanted.map(({ projectId, uuid }) => storedKey(projectId, uuid)).sort();

test.each([1, 10, EVENTS * 2])('of %i events, those are found that are stored', async (count) => {
  const all = Array.from({ length: Math.ceil(count / EVENTS) }, (_, round) =>
    keys.map((key, i) => (round === 0 ? key : { ...key, uuid: eventRow(1_000 + i).uuid })),
  ).flat();
  const wanted = all.slice(0, count);
  const stored = wanted.filter(({ uuid }) => keys.some((key) => key.uuid === uuid));
  expect(await found(wanted)).toEqual(named(stored));
});

test.each([1, 10, EVENTS])('%i events are found whose times were corrected by up to a day, or by an hour', async (count) => {
  const some = keys.slice(0, count);
  const times = [24 * HOUR, 7 * HOUR, -HOUR];
  for (const later of times)
    expect(await found(some.map((key) => ({ ...key, timestamp: key.timestamp + later })))).toEqual(named(some));
});

test('an event is found with its own name, distinct id and project only', async () => {
  const [one, two] = keys as [StoredKey, StoredKey];
  const others = [
    { ...one, event: two.event },
    { ...one, distinctId: two.distinctId },
    { ...one, projectId: 2 },
    { ...one, timestamp: one.timestamp + 72 * HOUR },
  ];
  for (const other of others) expect(await found([other])).toEqual([]);
  expect(await found([one, two])).toEqual(named([one, two]));
  // of two events of a project, none is found by the values of the other
  const third = keys[2] as StoredKey;
  const mixed = [
    { ...one, event: third.event },
    { ...third, event: one.event },
  ];
  expect(await found(mixed)).toEqual([]);
});
