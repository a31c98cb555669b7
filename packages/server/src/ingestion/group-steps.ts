import { countKeys, type JsonObject } from '../kernel/json.js';
import { createTurns } from '../kernel/turns.js';
import { EventsFull, EventsUnavailable } from '../ports/events.js';
import type { Scheduler } from '../ports/system.js';
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
  /** Whether its work yields to that of other groups: it is of a history. */
  isBackground: boolean;
  /** Result of the previous step; null: it failed, and every item without an outcome has the error. */
  done: Done | null;
}

/**
 * The three steps of a group. No step rejects: an error becomes the answer of the requests. Each step yields to the event loop between parts of a
 * few milliseconds.
 */
export interface GroupSteps {
  /** Runs the stages on the events, except duplicates. */
  stage(requests: readonly Request[], isBackground: boolean): Promise<Group<StagedGroup>>;
  /** Resolves persons and groups. Sequential in a line: a group may change the persons that the next one finds. */
  resolve(group: Group<StagedGroup>): Promise<Group<PreparedGroup>>;
  /**
   * Inserts the rows and answers all requests, after `earlier`: the answers of previous groups of the line. Groups of the other line are only
   * waited for if these repeat their events.
   */
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

/** Names of properties recorded between two yields to the event loop: some milliseconds. */
const TURN_NAMES = 20_000;

/** @param background the scheduler of histories */
export function createGroupSteps(
  deps: IntakeDeps,
  { metrics, faults, warnings, definitions, outbox, listener }: Sinks,
  background: Scheduler,
): GroupSteps {
  const schedulerOf = (isBackground: boolean) => (isBackground ? background : deps.scheduler);
  const pipeline = createPipeline(
    STAGES,
    { uuid: () => deps.ids.uuid7(), locate: deps.services.locate },
    { timed: (stage, seconds) => metrics.stageSeconds.observe({ stage }, seconds) },
  );
  const salts = createSalts(deps);
  const dedup = createDedup(deps, (events) => metrics.lookups.inc(events));
  /** Whether the event store may lack rows of persons or groups: no request is acknowledged until the outbox is replayed. */
  let needsReplay = false;
  let replaying: Promise<void> | null = null;

  async function storeDimensions(prepared: PreparedGroup, isBackground: boolean): Promise<void> {
    try {
      await insertDimensionRows(deps, { ...prepared.dimensions, isBackground }, metrics);
      outbox.settle(prepared.outboxIds);
    } catch (error) {
      faults.met('persons or groups could not be stored and will be replayed', error);
      needsReplay = true;
    }
  }

  async function replayIfNeeded(): Promise<void> {
    while (needsReplay || replaying) {
      replaying ??= replay().finally(() => {
        replaying = null;
      });
      await replaying;
    }
  }

  async function replay(): Promise<void> {
    needsReplay = false;
    try {
      await recoverOutbox(deps);
    } catch (error) {
      needsReplay = true;
      throw error;
    }
  }

  const hasUnseen = (projectId: number, event: string, properties: JsonObject) =>
    event === listener?.event || definitions.hasUnseen(projectId, event, properties);

  const hasUnseenNames: Definitions['hasUnseenNames'] = (projectId, event, names) =>
    event === listener?.event || definitions.hasUnseenNames(projectId, event, names);

  function notify(projectId: number, event: string, properties: JsonObject): void {
    definitions.event(projectId, event, properties);
    if (event === listener?.event) listener.stored(projectId, event, properties);
  }

  function failed(group: Omit<Group<never>, 'done'>, error: unknown): Group<never> {
    faults.met('a group of events could not be prepared', error);
    for (const item of group.items) item.error = unavailable(error);
    return { ...group, done: null };
  }

  /** Sets the outcome of each item from its row, and reports warnings and metrics. */
  async function settle(prepared: PreparedGroup, scheduler: Scheduler): Promise<void> {
    let stored = 0;
    const turns = createTurns(scheduler, TURN_NAMES);
    for (const { item, unseen, insert } of prepared.rows) {
      if (insert.state === 'stored') {
        stored++;
        if (item) markStored(item);
        if (!unseen) continue;
        notify(insert.row.project_id, insert.row.event, unseen);
        if (turns.isOver(countKeys(unseen))) await turns.next();
      } else if (insert.state === 'unstorable') {
        metrics.dropped.inc({ reason: UNSTORABLE.reason });
        if (item) item.outcome = { uuid: item.event.uuid, result: UNSTORABLE.result, details: UNSTORABLE.details };
      }
    }
    metrics.stored.inc(stored);
    for (const rejection of prepared.rejections) metrics.dropped.inc({ reason: rejection.reason });
    warnings.add(prepared.warnings);
    for (const row of prepared.dimensions.persons) {
      definitions.person(row);
      if (turns.isOver(countKeys(row.properties))) await turns.next();
    }
    for (const row of prepared.dimensions.groups) {
      definitions.group(row);
      if (turns.isOver(countKeys(row.properties))) await turns.next();
    }
  }

  return {
    async stage(requests, isBackground) {
      const items = itemsOf(requests);
      const group = { requests, items, isBackground };
      const scheduler = schedulerOf(isBackground);
      try {
        const dropped = await replaceCookielessIds(items, salts);
        if (dropped > 0) metrics.dropped.inc({ reason: 'cookieless_off' }, dropped);
        const duplicates = await dedup.reserve(items);
        if (duplicates > 0) metrics.dropped.inc({ reason: 'duplicate' }, duplicates);
        return {
          ...group,
          done: await runStages({ pipeline, hasUnseen, hasUnseenNames, codec: deps.events.codec, scheduler }, items),
        };
      } catch (error) {
        return failed(group, error);
      }
    },
    async resolve({ done, ...group }) {
      if (!done) return { ...group, done };
      try {
        return { ...group, done: await resolve({ ...deps, scheduler: schedulerOf(group.isBackground) }, done) };
      } catch (error) {
        // the transaction of the persons may have committed before the failure
        needsReplay = true;
        return failed(group, error);
      }
    },
    async store({ requests, items, isBackground, done: prepared }, earlier) {
      const scheduler = schedulerOf(isBackground);
      let failure: unknown = null;
      if (prepared) {
        const rows = prepared.rows.map(({ insert }) => insert);
        const dimensions = storeDimensions(prepared, isBackground);
        await scheduler.yield();
        try {
          await insertEvents(deps, metrics, rows, { readAt: prepared.dimensions.readAt, isBackground });
        } catch (error) {
          faults.met('a group of events could not be stored', error);
          failure = unavailable(error);
        }
        await dimensions;
      }
      await earlier;
      await originals(items);
      await scheduler.yield();
      if (prepared) await settle(prepared, scheduler);
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

/**
 * Waits for the requests of other groups whose events these items repeat. Such a request has been reserved before, so no two groups wait for each
 * other.
 */
async function originals(items: readonly Item[]): Promise<void> {
  const own = new Set(items.map(({ request }) => request));
  const others = new Set(
    items.flatMap(({ duplicateOf }) => (duplicateOf && !own.has(duplicateOf.request) ? [duplicateOf.request] : [])),
  );
  await Promise.allSettled([...others].map(({ outcomes }) => outcomes));
}

/** Any error of a store means to the client: retry. */
function unavailable(error: unknown): EventsUnavailable | EventsFull {
  if (error instanceof EventsUnavailable || error instanceof EventsFull) return error;
  return new EventsUnavailable('a store cannot take events now', { cause: error });
}
