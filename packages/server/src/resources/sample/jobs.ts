import type { FastifyInstance } from 'fastify';
import { countEventsByName } from '../../analytics/index.js';
import type { Deps } from '../../deps.js';
import { deletePerson } from '../../ingestion/index.js';
import { type Job, type QueueKind, UnrecoverableError } from '../../jobs/index.js';
import { isObject } from '../../kernel/json.js';
import { sleep } from '../../kernel/scheduler.js';
import { makeObjects, type SampleOwner } from './objects.js';
import { makeShop, type SampleEvent } from './shop.js';
import {
  addObject,
  deleteGroups,
  deleteObjects,
  deleteSample,
  deleteUnusedDefinitions,
  moveSample,
  peopleOf,
  readSample,
  recordProgress,
  waitForFirstEvent,
} from './store.js';

export const LOAD_JOB = 'load-sample';
export const REMOVE_JOB = 'remove-sample';

/** Events of one capture, and captures at the same time: real events get in between. */
const BATCH = 500;
const AT_ONCE = 2;
/** People who are deleted at the same time. */
const PEOPLE_AT_ONCE = 4;
/** Pause between two looks at a deletion of events; milliseconds. */
const PAUSE_MS = 1_000;

/** The background work of sample data. */
export const sampleQueues = (app: FastifyInstance, deps: Deps): Record<string, QueueKind> => ({
  [LOAD_JOB]: {
    deadlineMs: 10 * 60_000,
    attempts: 3,
    run: async (job, signal) => {
      await load(app, deps, job, signal);
      return async (tx) => {
        await moveSample(tx, job.projectId, ['loading'], { state: 'loaded', now: new Date(deps.clock.now()) });
      };
    },
    failed: async (tx, { projectId }, error) => {
      deps.log.warn({ err: error, project: projectId }, 'sample data could not be loaded');
      const now = new Date(deps.clock.now());
      await moveSample(tx, projectId, ['loading'], { state: 'failed', error: 'The sample data could not be stored.', now });
    },
  },
  [REMOVE_JOB]: {
    deadlineMs: 30 * 60_000,
    attempts: 10,
    run: async ({ projectId }, signal) => {
      await remove(deps, projectId, signal);
      return (tx) => deleteSample(tx, projectId);
    },
    failed: async (tx, { projectId }, error) => {
      deps.log.warn({ err: error, project: projectId }, 'sample data could not be removed');
      const now = new Date(deps.clock.now());
      await moveSample(tx, projectId, ['removing'], { state: 'failed', error: 'The sample data could not be removed.', now });
    },
  },
});

function ownerOf({ payload }: Job): SampleOwner {
  const { userId, keyId } = isObject(payload) ? payload : {};
  if (typeof userId !== 'number') throw new UnrecoverableError('The job names no user.');
  return { userId, keyId: typeof keyId === 'string' ? keyId : null };
}

/** Stores the objects and the events of a sample. A later attempt goes on where the one before ended. */
async function load(app: FastifyInstance, deps: Deps, job: Job, signal: AbortSignal): Promise<void> {
  const { projectId } = job;
  const row = await readSample(deps.db, projectId);
  if (row?.state !== 'loading') return;
  const known = row.objects.find(({ table }) => table === 'surveys');
  const surveyId = known
    ? String(known.id)
    : await makeObjects(app, deps, projectId, ownerOf(job), (object) => addObject(deps.db, projectId, object));
  const { events } = await makeShop(row.seed, row.created_at.getTime(), { surveyId }, deps.scheduler.yield);
  const total = events.length;
  const { api_token: token } = await deps.db
    .selectFrom('projects')
    .select('api_token')
    .where('id', '=', projectId)
    .executeTakeFirstOrThrow();
  for (let at = row.done; at < total; at += BATCH * AT_ONCE) {
    signal.throwIfAborted();
    const batches = Array.from({ length: AT_ONCE }, (_, n) => events.slice(at + n * BATCH, at + (n + 1) * BATCH));
    await Promise.all(batches.map((batch) => capture(deps, token, batch)));
    if (!(await recordProgress(deps.db, projectId, { done: Math.min(at + BATCH * AT_ONCE, total), total }))) return;
  }
}

async function capture({ services, clock }: Deps, token: string, batch: readonly SampleEvent[]): Promise<void> {
  const project = await services.projectKeys.find(token);
  if (!project || batch.length === 0) return;
  const events = batch.map((event) => ({ ...event, hasClientUuid: true }));
  await services.intake.capture({ project, ip: '', receivedAt: clock.now(), events });
}

/** Deletes all that a sample has made, until nothing is left: a load that was interrupted may still be storing its last events. */
async function remove(deps: Deps, projectId: number, signal: AbortSignal): Promise<void> {
  const { clock, db, events, scheduler } = deps;
  const row = await readSample(db, projectId);
  if (row?.state !== 'removing') return;
  await deleteObjects(db, projectId, row.objects);
  // the survey changes nothing but one property
  const shop = await makeShop(row.seed, row.created_at.getTime(), { surveyId: 'removed' }, scheduler.yield);
  for (let empty = 0; empty < 2; ) {
    signal.throwIfAborted();
    await removePeople(deps, projectId, shop.distinctIds, signal);
    await removeGroups(deps, projectId, shop.companies);
    empty = (await events.deleteEvents(projectId, [{ distinctIds: shop.distinctIds, until: clock.now() }])) ? empty + 1 : 0;
    if (empty < 2) await sleep(scheduler, PAUSE_MS, signal);
  }
  const left = await countEventsByName(events, projectId, { days: 100 * 365, now: clock.now() });
  const names = [...new Set(shop.events.map(({ event }) => event))];
  await deleteUnusedDefinitions(db, projectId, { events: names, seen: [...left.keys()], since: row.created_at });
  if (left.size === 0) await waitForFirstEvent(db, projectId);
}

async function removePeople(deps: Deps, projectId: number, ids: readonly string[], signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const people = await peopleOf(deps.db, projectId, ids, 100);
    if (people.length === 0) return;
    const next = people.values();
    const worker = async () => {
      for (const person of next) await deletePerson(deps, projectId, person, { withEvents: false });
    };
    await Promise.all(Array.from({ length: PEOPLE_AT_ONCE }, worker));
  }
}

/** Deletes groups. The event store has no deletion of groups: their newest versions there have no properties. */
async function removeGroups({ db, events, clock }: Deps, projectId: number, keys: readonly string[]): Promise<void> {
  const deleted = await deleteGroups(db, projectId, keys);
  if (deleted.length === 0) return;
  const created_at = clock.now();
  const rows = deleted.map((group) => ({
    ...group,
    project_id: projectId,
    properties: {},
    created_at,
    version: group.version + 1,
  }));
  await events.insert('groups', rows, { token: `sample ${projectId} ${created_at}` });
}
