import { setImmediate } from 'node:timers/promises';
import { eventually } from '@tidemark/testkit';
import { sql } from 'kysely';
import { Registry } from 'prom-client';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { withServices } from '../services.js';
import { type Cuttable, cuttable } from '../testing/cuttable.js';
import { type FlagsApp, makeFlag, makePerson, startFlagsApp } from '../testing/flags-app.js';
import { holdResults } from '../testing/hold-results.js';

const flagsOf = async (app: FlagsApp, more: object = {}) =>
  (await app.post('/flags/?v=1', { token: app.token, distinct_id: 'ann', ...more })).json().featureFlags;

describe('a change', () => {
  let world: FlagsApp;
  let other: FlagsApp;
  beforeAll(async () => {
    world = await startFlagsApp();
    other = await startFlagsApp({ beside: world });
  });
  afterAll(async () => {
    await other.close();
    await world.close();
  });

  test('flags, cohorts, group types and settings apply on other servers within a second', async () => {
    expect(await flagsOf(other)).toEqual({});
    const id = await makeFlag(world, { key: 'new' });
    await seen(async () => expect(await flagsOf(other)).toEqual({ new: true }));

    const { db } = world.deps;
    await db.updateTable('feature_flags').set({ active: false }).where('id', '=', id).execute();
    await seen(async () => expect(await flagsOf(other)).toEqual({}));
    expect((await other.get(`/array/${other.token}/config`)).json().hasFeatureFlags).toBe(false);

    await db.updateTable('feature_flags').set({ active: true }).where('id', '=', id).execute();
    await seen(async () => expect((await other.get(`/array/${other.token}/config`)).json().hasFeatureFlags).toBe(true));
    expect((await other.get(`/array/${other.token}/config`)).json().autocapture_opt_out).toBe(false);
    await db.updateTable('projects').set({ settings: '{"autocapture_opt_out":true}' }).execute();
    await seen(async () => expect((await other.get(`/array/${other.token}/config`)).json().autocapture_opt_out).toBe(true));

    await db.deleteFrom('feature_flags').where('id', '=', id).execute();
    await seen(async () => expect(await flagsOf(other)).toEqual({}));
  });
});

test('stale definitions served by a slow database are not cached', async () => {
  const world = await startFlagsApp();
  const other = await startFlagsApp({ beside: world });
  const keys = async () => {
    const { flags } = (await other.get('/flags/definitions', { authorization: `Bearer ${other.personalKey}` })).json();
    return flags.map(({ key }: { key: string }) => key);
  };
  await makeFlag(world, { key: 'first' });
  await seen(async () => expect(await keys()).toEqual(['first']));

  const heard = new Promise<void>((resolve) => other.deps.changes.onChange(() => resolve()));
  await makeFlag(world, { key: 'second' });
  await heard;
  await world.deps.db.transaction().execute(async (tx) => {
    await sql`lock table surveys`.execute(tx);
    expect(await keys()).toEqual(['first']);
  });
  await seen(async () => expect(await keys()).toEqual(['first', 'second']), 5_000);
  await other.close();
  await world.close();
});

test('an earlier read of definitions does not replace a later one', async () => {
  const world = await startFlagsApp();
  const { database, projectId } = world;
  const { db, holdNext } = holdResults(database.asOtherServer());
  const deps = withServices({ ...world.deps, metrics: new Registry(), db, changes: await database.listenToChanges() });
  const keys = async () =>
    (await deps.services.flagDefinitions.get(projectId))
      .localEvaluationPayload(false)
      .toString()
      .match(/"key":"(first|second)"/g);
  const change = async (key: string) => {
    const heard = new Promise<void>((resolve) => deps.changes.onChange(() => resolve()));
    await makeFlag(world, { key });
    await heard;
  };
  expect(await keys()).toBeNull();
  await change('first');
  const rows = holdNext('from feature_flags f where');
  const early = keys();
  await rows.reached;
  await change('second');
  await seen(async () => expect(await keys()).toEqual(['"key":"first"', '"key":"second"']));
  rows.release();
  await early;
  await setImmediate();

  // the database is slow: what is in memory is served
  await change('third');
  const mark = holdNext('as mark');
  expect(await keys()).toEqual(['"key":"first"', '"key":"second"']);
  mark.release();
  await world.close();
});

describe('an unavailable PostgreSQL', () => {
  let world: FlagsApp;
  let way: Cuttable;
  let app: FlagsApp;
  const property = { key: 'plan', value: 'team', operator: 'exact', type: 'person' };
  beforeAll(async () => {
    world = await startFlagsApp();
    way = await cuttable(world.database.url);
    app = await startFlagsApp({ beside: world, url: way.url });
    await makeFlag(world, { key: 'all' });
    await makeFlag(world, { key: 'team', filters: { groups: [{ properties: [property] }] } });
    await makeFlag(world, {
      key: 'continued',
      ensure_experience_continuity: true,
      filters: { groups: [{ rollout_percentage: 50 }] },
    });
    await makePerson(world, ['ann', 'bob', 'cleo'], { plan: 'team' });
  });
  afterAll(async () => {
    await app.close();
    await way.close();
    await world.close();
  });

  // also after a failure
  afterEach(() => way.mend());

  const ask = async (more: object = {}) => {
    const started = performance.now();
    const response = await app.post('/flags/?v=2', { token: app.token, distinct_id: 'bob', ...more });
    return { status: response.statusCode, ms: performance.now() - started, ...response.json() };
  };

  test.each([
    ['is stopped', () => way.cut(), 'bob'],
    ['does not answer', async () => way.stall(), 'cleo'],
  ])(
    'if it %s, flags are evaluated from memory, and those with stored properties have an error',
    async (_name, end, distinctId) => {
      expect(await flagsOf(app)).toMatchObject({ all: true, team: true });
      await end();
      const missing = await ask({ distinct_id: distinctId });
      expect(missing).toMatchObject({
        status: 200,
        errorsWhileComputingFlags: true,
        flags: { all: { enabled: true }, team: { enabled: false, failed: true }, continued: { failed: true } },
      });
      expect(missing.flags.all).not.toHaveProperty('failed');
      expect(missing.ms).toBeLessThan(3_000);
      // what is remembered of a person, and what the request tells, is enough
      expect(await ask({ distinct_id: 'ann' })).toMatchObject({
        errorsWhileComputingFlags: false,
        flags: { team: { enabled: true } },
      });
      const evaluated = await ask({ distinct_id: distinctId, person_properties: { plan: 'team' }, flag_keys: ['team', 'all'] });
      expect(evaluated).toMatchObject({ errorsWhileComputingFlags: false, flags: { team: { enabled: true } } });
      const v1 = await app.post('/flags/?v=1', { token: app.token, distinct_id: distinctId });
      expect(v1.json()).toMatchObject({ featureFlags: { all: true }, errorsWhileComputingFlags: true });
      expect(v1.json().featureFlags).not.toHaveProperty('team');
      expect((await app.get(`/array/${app.token}/config`)).json().hasFeatureFlags).toBe(true);

      await makeFlag(world, { key: `after ${distinctId}` });
      await way.mend();
      await seen(
        async () =>
          expect(await flagsOf(app, { distinct_id: distinctId })).toMatchObject({ [`after ${distinctId}`]: true, team: true }),
        8_000,
      );
    },
  );
});

const seen = (check: () => Promise<void>, within = 1_000) => eventually(check, { within, every: 20 });
