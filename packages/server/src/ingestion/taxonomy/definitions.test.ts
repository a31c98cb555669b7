import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Deps } from '../../deps.js';
import { type TestIngest, testIngest } from '../../testing/ingest.js';
import { createDefinitions } from './index.js';

const HOUR = 3_600_000;
const PERSON = '00000000-0000-4000-8000-000000000001';
let world: TestIngest;
let now = Date.UTC(2026, 4, 1, 12);

beforeAll(async () => {
  world = await testIngest();
});
afterAll(() => world.close());

const open = () => {
  const deps: Deps = { ...world.deps, metrics: new Registry(), clock: { now: () => now } };
  return createDefinitions(deps);
};
const seen = (projectId: number) =>
  world.deps.db
    .selectFrom('event_definitions')
    .select(['name', 'created_at', 'last_seen_at'])
    .where('project_id', '=', projectId)
    .execute();

test('a name is stored once, and the time when it was last seen is updated once an hour', async () => {
  const { id } = await world.project();
  const start = now;
  const first = open();
  first.event(id, 'bought', { price: null });
  first.event(id, 'bought', { price: 3 });
  await first.close();
  const second = open();
  second.event(id, 'bought', {});
  now += HOUR;
  second.event(id, 'bought', { price: 3 });
  await second.close();
  expect(await seen(id)).toEqual([{ name: 'bought', created_at: new Date(start), last_seen_at: new Date(now) }]);
  const types = await world.deps.db
    .selectFrom('property_definitions')
    .select('property_type')
    .where('project_id', '=', id)
    .execute();
  // the type is learned from the first value that has one
  expect(types).toEqual([{ property_type: 'Numeric' }]);
});

test('a project with data in its names reaches the limit, and known names are still updated', async () => {
  const { id } = await world.project();
  const first = open();
  for (let i = 0; i < 12_000; i++) first.event(id, `name ${i}`, {});
  first.event(id, 'x'.repeat(500), {});
  await first.close();
  now += HOUR;
  const second = open();
  second.event(id, 'one more', {});
  second.event(id, 'name 0', {});
  await second.close();
  const rows = await seen(id);
  expect(rows).toHaveLength(10_000);
  expect(rows.find((row) => row.name === 'name 0')?.last_seen_at).toEqual(new Date(now));
  expect(rows.some((row) => row.name === 'one more' || row.name.length > 400)).toBe(false);
});

test('a limit reached by properties of events leaves those of persons and groups their own', async () => {
  const { id } = await world.project();
  const full = open();
  for (let event = 0; event < 12; event++) {
    const names = Array.from({ length: 1_000 }, (_, i) => [`property ${event * 1_000 + i}`, 1]);
    full.event(id, `event ${event}`, Object.fromEntries(names));
  }
  await full.close();
  const later = open();
  const row = { project_id: id, created_at: now, version: 1 };
  later.person({ ...row, person_id: PERSON, properties: { email: 'ada@example.com' }, is_identified: true, is_deleted: false });
  later.group({ ...row, group_type_index: 0, group_key: 'acme', properties: { size: 3 } });
  later.event(id, 'event 0', { 'one more': 1 });
  await later.close();
  const rows = await world.deps.db
    .selectFrom('property_definitions')
    .select(['type', 'name', 'property_type'])
    .where('project_id', '=', id)
    .orderBy('type', 'desc')
    .execute();
  expect(rows.filter((row) => row.type === 'event')).toHaveLength(10_000);
  expect(rows.filter((row) => row.type !== 'event')).toEqual([
    { type: 'person', name: 'email', property_type: 'String' },
    { type: 'group', name: 'size', property_type: 'Numeric' },
  ]);
});

test('names of a deleted project do not block others', async () => {
  const { id } = await world.project();
  const definitions = open();
  definitions.event(999_999, 'lost', { a: 1 });
  definitions.event(id, 'kept', { a: 1 });
  await definitions.close();
  expect((await seen(id)).map((row) => row.name)).toEqual(['kept']);
});

test('cached projects are dropped when there are too many names, and at the end of the hour', async () => {
  const [first, second] = [await world.project(), await world.project()];
  const definitions = createDefinitions({ ...world.deps, metrics: new Registry(), clock: { now: () => now } }, 3);
  definitions.event(first.id, 'bought', { price: 3, plan: 'free' });
  expect(definitions.hasUnseen(first.id, 'bought', { price: 3 })).toBe(false);
  definitions.event(second.id, 'bought', { price: 3 });
  expect(definitions.hasUnseen(second.id, 'bought', { price: 3 })).toBe(false);
  expect(definitions.hasUnseen(first.id, 'bought', { price: 3 })).toBe(true);
  now += HOUR;
  expect(definitions.hasUnseen(second.id, 'bought', { price: 3 })).toBe(true);
  await definitions.close();
  expect(await seen(first.id)).toHaveLength(1);
});
