import { eventually } from '@tidemark/testkit';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Deps } from '../deps.js';
import { withServices } from '../services.js';
import { cuttable } from '../testing/cuttable.js';
import { type FlagsApp, startFlagsApp } from '../testing/flags-app.js';
import { holdResults } from '../testing/hold-results.js';

let world: FlagsApp;
/** Of another server, whose clock stands still: what it knows does not grow old. */
let other: Deps;
beforeAll(async () => {
  world = await startFlagsApp();
  const now = Date.now();
  const { database, deps } = world;
  other = withServices({
    ...deps,
    metrics: new Registry(),
    db: database.asOtherServer(),
    changes: await database.listenToChanges(),
    clock: { now: () => now },
  });
});
afterAll(() => world.close());

const seen = (check: () => Promise<void>) => eventually(check, { within: 10_000, every: 20 });
const change = (values: { api_token?: string; anonymize_ips?: boolean }) =>
  world.deps.db.updateTable('projects').set(values).where('id', '=', world.projectId).execute();

test('a project that changed while it was read is cached if the database fails then', async () => {
  const { database, token } = world;
  const way = await cuttable(database.url);
  const deps = withServices({
    ...other,
    metrics: new Registry(),
    db: database.asOtherServer(way.url),
    changes: await database.listenToChanges(),
  });
  await deps.services.projectKeys.find('tmk_other');
  const heard = new Promise<void>((resolve) => deps.changes.onChange(() => resolve()));
  way.stall();
  const project = deps.services.projectKeys.find(token);
  await change({ anonymize_ips: false });
  await heard;
  await way.mend();
  expect(await project).toMatchObject({ id: world.projectId });
  await way.cut();
  expect(await deps.services.projectKeys.find(token)).toMatchObject({ id: world.projectId });
});

test('a project that changed while it was read is read again for the next request', async () => {
  const { database, token } = world;
  const { db, holdNext } = holdResults(database.asOtherServer());
  const deps = withServices({ ...other, metrics: new Registry(), db, changes: await database.listenToChanges() });
  await deps.services.projectKeys.find('tmk_other');
  await change({ anonymize_ips: false });
  const read = holdNext('"projects"');
  const project = deps.services.projectKeys.find(token);
  await read.reached;
  const heard = new Promise<void>((resolve) => deps.changes.onChange(() => resolve()));
  await change({ anonymize_ips: true });
  await heard;
  read.release();
  await project;
  expect(await deps.services.projectKeys.find(token)).toMatchObject({ anonymizeIps: true });
  await change({ anonymize_ips: false });
});

test('a change of a project by another server, such as a new key, applies after the notification', async () => {
  expect(await other.services.projectKeys.find(world.token)).toMatchObject({ id: world.projectId, anonymizeIps: false });
  await change({ anonymize_ips: true });
  await seen(async () => expect(await other.services.projectKeys.find(world.token)).toMatchObject({ anonymizeIps: true }));

  expect(await other.services.projectKeys.find('tmk_next')).toBeNull();
  await change({ api_token: 'tmk_next' });
  await seen(async () => expect(await other.services.projectKeys.find(world.token)).toBeNull());
  await seen(async () => expect(await other.services.projectKeys.find('tmk_next')).toMatchObject({ id: world.projectId }));

  await world.deps.db.deleteFrom('projects').where('id', '=', world.projectId).execute();
  await seen(async () => expect(await other.services.projectKeys.find('tmk_next')).toBeNull());
});
