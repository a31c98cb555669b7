import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { captured, type TestIngest, testIngest } from '../../testing/ingest.js';
import { type Item, itemsOf, markStored } from '../item.js';
import { createEventLocks } from './event-locks.js';

let world: TestIngest;
beforeAll(async () => {
  world = await testIngest();
});
afterAll(() => world.close());

/** The locks of one of several servers. */
function server() {
  const config = { ...world.deps.config, databaseUrl: 'postgres://db.example.com', clickhouseUrl: 'http://ch.example.com' };
  const locks = createEventLocks({ ...world.deps, config });
  if (!locks) throw new Error('There are no other servers.');
  return locks;
}

async function group(events: number): Promise<Item[]> {
  const project = await world.project();
  const capture = { project, ip: '', receivedAt: Date.now(), events: Array.from({ length: events }, () => captured()) };
  return itemsOf([{ capture, outcomes: Promise.resolve([]), resolve: () => {}, reject: () => {} }]);
}

const locked = async (items: readonly Item[]) => {
  const rows = await world.deps.db
    .selectFrom('event_claims')
    .select('uuid')
    .where('claimed_at', '>', sql<Date>`clock_timestamp() - interval '5 seconds'`)
    .execute();
  return items.map(({ event }) => rows.some(({ uuid }) => uuid === event.uuid));
};

test('events that could not be stored are unlocked at once, long before their locks expire', async () => {
  const first = server();
  const items = await group(2);
  await first.acquire(items, items);
  const [stored] = items;
  if (stored) markStored(stored);
  first.release(items);
  // nothing sweeps locks here: those that are not released stay
  await expect.poll(() => locked(items)).toEqual([true, false]);
  const second = server();
  // the first one may have stored it after all
  const lockedBefore = new Set(items.slice(1));
  expect(await second.acquire(items, items.slice(1))).toMatchObject({ lockedElsewhere: new Set(), lockedBefore });
  second.release(items);
});

test('a lock that a dead server acquired before the database clock was set back blocks no event', async () => {
  const items = await group(1);
  await server().acquire(items, items);
  for (const years of [0, 10]) {
    await sql`update event_claims set claimed_at = clock_timestamp() + make_interval(years => ${years}, hours => 1)`.execute(
      world.deps.db,
    );
    const other = server();
    expect(await other.acquire(items, items)).toMatchObject({ lockedElsewhere: new Set(), lockedBefore: new Set(items) });
  }
});
