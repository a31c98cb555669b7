import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ProjectByKey } from '../../auth/index.js';
import { type TestIngest, testIngest } from '../../testing/ingest.js';
import { NO_DEVICE_PROPERTIES } from '../device-properties.js';
import { resolveGroups } from '../groups/index.js';
import type { PersonTask } from '../identities/index.js';
import { resolvePersons } from '../identities/index.js';
import { recoverOutbox } from './outbox.js';

let world: TestIngest;
let project: ProjectByKey;

beforeAll(async () => {
  world = await testIngest();
  project = await world.project();
});
afterAll(() => world.close());

const task = (fields: Partial<PersonTask>): PersonTask => ({
  projectId: project.id,
  distinctId: 'ann',
  event: 'x',
  uuid: world.deps.ids.uuid7(),
  timestamp: world.deps.clock.now(),
  processProfile: true,
  device: NO_DEVICE_PROPERTIES,
  set: {},
  setOnce: {},
  unset: [],
  merge: null,
  identifies: false,
  ...fields,
});

test('persons and groups that a process did not write to the event store before it ended are written at its next start', async () => {
  const { deps } = world;
  await resolvePersons(deps, [
    task({ distinctId: 'anon', set: { a: 1 } }),
    task({ distinctId: 'ann', set: { b: 2 } }),
    task({ event: '$identify', merge: { source: 'anon', force: false }, identifies: true }),
  ]);
  await resolveGroups(deps, [
    {
      projectId: project.id,
      timestamp: deps.clock.now(),
      memberships: {},
      identify: { type: 'company', key: 'a:b', set: { size: 3 } },
    },
  ]);
  await recoverOutbox(deps);

  const read = async (sql: string) => (await deps.events.query({ sql, params: { project: project.id } })).rows;
  expect(
    await read(`select properties.a as a, properties.b as b, is_identified from persons final
      where project_id = {project:UInt32} and not is_deleted`),
  ).toEqual([{ a: 1, b: 2, is_identified: true }]);
  expect(
    await read('select count(distinct person_id) as people from person_overrides final where project_id = {project:UInt32}'),
  ).toEqual([{ people: 1 }]);
  expect(await read('select group_key, properties.size as size from groups final where project_id = {project:UInt32}')).toEqual([
    { group_key: 'a:b', size: 3 },
  ]);
  expect(await deps.db.selectFrom('analytics_outbox').selectAll().execute()).toEqual([]);
});
