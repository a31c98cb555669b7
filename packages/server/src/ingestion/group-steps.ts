import type { JsonObject } from '../kernel/json.js';
import { EventsFull, EventsUnavailable } from '../ports/events.js';
import type { IntakeDeps } from './capture.js';
import { createSalts, replaceCookielessIds } from './cookieless/index.js';
import { answer, type Item, itemsOf, markStored, type Request } from './item.js';
import type { IngestMetrics } from './metrics.js';
import { createPipeline } from './pipeline.js';
import { type PreparedGroup, resolve, runStages, type StagedGroup, UNSTORABLE } from './prepare.js';
import { STAGES } from './stages/index.js';
import { type StorageFaults, storageFaultOf } from './storage-faults.js';
import type { Definitions } from './taxonomy/index.js';
import type { Warnings } from './warnings.js';
import { createDedup } from './writer/dedup.js';
import { insertDimensionRows, insertEvents } from './writer/insert-events.js';
import { type OutboxSettler, recoverOutbox } from './writer/outbox.js';

/** Requests that pass the steps together. */
export interface Group<Done> {
  requests: readonly Request[];
  items: readonly Item[];
  /** Result of the previous step; null: it failed, and every item without an outcome has the error. */
  done: Done | null;
}

/**
 * The three steps of a group. No step rejects: an error becomes the answer of the requests. Each step yields to the event loop between parts of a
 * few milliseconds.
 */
export interface GroupSteps {
  /** Runs the stages on the events, except duplicates. */
  stage(requests: readonly Request[]): Promise<Group<StagedGroup>>;
  /** Resolves persons and groups. Sequential: a group may change the persons that the next one finds. */
  resolve(group: Group<StagedGroup>): Promise<Group<PreparedGroup>>;
  /** Inserts the rows and answers all requests, after `earlier`: the answers of previous groups, whose events these may duplicate. */
  store(group: Group<PreparedGroup>, earlier: Promise<void>): Promise<void>;
}

/** Receives stored events. */
export interface EventListener {
  /** Name of the events it receives. */
  event: string;
  stored(projectId: number, event: string, properties: JsonObject): void;
}

/** Where the steps report what happens. */
interface Sinks {
  metrics: IngestMetrics;
  faults: StorageFaults;
  warnings: Warnings;
  definitions: Definitions;
  outbox: OutboxSettler;
  listener: EventListener | null;
}

export function createGroupSteps(
  deps: IntakeDeps,
  { metrics, faults, warnings, definitions, outbox, listener }: Sinks,
): GroupSteps {
  const { scheduler } = deps;
  const pipeline = createPipeline(
    STAGES,
    { uuid: () => deps.ids.uuid7(), locate: deps.services.locate },
    { timed: (stage, seconds) => metrics.stageSeconds.observe({ stage }, seconds) },
  );
  const salts = createSalts(deps);
  const dedup = createDedup(deps, (events) => metrics.lookups.inc(events));
  /** Whether the event store may lack rows of persons or groups: no request is acknowledged until the outbox is replayed. */
  let needsReplay = false;

  async function storeDimensions(prepared: PreparedGroup): Promise<void> {
    try {
      await insertDimensionRows(deps, prepared.dimensions, metrics);
      outbox.settle(prepared.outboxIds);
    } catch (error) {
      faults.met('persons or groups could not be stored and will be replayed', error);
      needsReplay = true;
    }
  }

  async function replayIfNeeded(): Promise<void> {
    if (!needsReplay) return;
    await recoverOutbox(deps);
    needsReplay = false;
  }

  const hasUnseen = (projectId: number, event: string, properties: JsonObject) =>
    event === listener?.event || definitions.hasUnseen(projectId, event, properties);

  const hasUnseenNames: Definitions['hasUnseenNames'] = (projectId, event, names) =>
    event === listener?.event || definitions.hasUnseenNames(projectId, event, names);

  function notify(projectId: number, event: string, properties: JsonObject): void {
    definitions.event(projectId, event, properties);
    if (event === listener?.event) listener.stored(projectId, event, properties);
  }

  function failed({ requests, items }: Omit<Group<never>, 'done'>, error: unknown): Group<never> {
    faults.met('a group of events could not be prepared', error);
    for (const item of items) item.error = unavailable(error);
    return { requests, items, done: null };
  }

  /** Sets the outcome of each item from its row, and reports warnings and metrics. */
  function settle(prepared: PreparedGroup): void {
    let stored = 0;
    for (const { item, unseen, insert } of prepared.rows) {
      if (insert.state === 'stored') {
        stored++;
        if (item) markStored(item);
        if (unseen) notify(insert.row.project_id, insert.row.event, unseen);
      } else if (insert.state === 'unstorable') {
        metrics.dropped.inc({ reason: UNSTORABLE.reason });
        if (item) item.outcome = { uuid: item.event.uuid, result: UNSTORABLE.result, details: UNSTORABLE.details };
      }
    }
    metrics.stored.inc(stored);
    for (const rejection of prepared.rejections) metrics.dropped.inc({ reason: rejection.reason });
    warnings.add(prepared.warnings);
    definitions.persons(prepared.dimensions.persons);
    definitions.groups(prepared.dimensions.groups);
  }

  return {
    async stage(requests) {
      const items = itemsOf(requests);
      try {
        const dropped = await replaceCookielessIds(items, salts);
        if (dropped > 0) metrics.dropped.inc({ reason: 'cookieless_off' }, dropped);
        const duplicates = await dedup.reserve(items);
        if (duplicates > 0) metrics.dropped.inc({ reason: 'duplicate' }, duplicates);
        return {
          requests,
          items,
          done: await runStages({ pipeline, hasUnseen, hasUnseenNames, codec: deps.events.codec, scheduler }, items),
        };
      } catch (error) {
        return failed({ requests, items }, error);
      }
    },
    async resolve({ requests, items, done }) {
      if (!done) return { requests, items, done };
      try {
        return { requests, items, done: await resolve(deps, done) };
      } catch (error) {
        // the transaction of the persons may have committed before the failure
        needsReplay = true;
        return failed({ requests, items }, error);
      }
    },
    async store({ requests, items, done: prepared }, earlier) {
      let failure: unknown = null;
      if (prepared) {
        const rows = prepared.rows.map(({ insert }) => insert);
        const dimensions = storeDimensions(prepared);
        await scheduler.yield();
        try {
          await insertEvents(deps, metrics, rows, prepared.dimensions.readAt);
        } catch (error) {
          faults.met('a group of events could not be stored', error);
          failure = unavailable(error);
        }
        await dimensions;
      }
      await earlier;
      await scheduler.yield();
      if (prepared) settle(prepared);
      await scheduler.yield();
      dedup.release(items, failure !== null && !(failure instanceof EventsFull));
      try {
        await replayIfNeeded();
        await answer(requests, items, {
          otherwise: failure,
          onRefused: (error) => metrics.refused.inc({ reason: storageFaultOf(error) }),
          scheduler,
        });
        if (prepared && failure === null) faults.over();
      } catch (error) {
        faults.met('what was left of persons and groups could not be replayed', error);
        for (const request of requests) request.reject(unavailable(error));
        metrics.refused.inc({ reason: storageFaultOf(error) }, requests.length);
      }
    },
  };
}

/** Any error of a store means to the client: retry. */
function unavailable(error: unknown): EventsUnavailable | EventsFull {
  if (error instanceof EventsUnavailable || error instanceof EventsFull) return error;
  return new EventsUnavailable('a store cannot take events now', { cause: error });
}
