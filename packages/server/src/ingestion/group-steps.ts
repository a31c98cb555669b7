import type { Deps } from '../deps.js';
import type { JsonObject } from '../kernel/json.js';
import { EventsFull, EventsUnavailable } from '../ports/events.js';
import { answer, type Item, itemsOf, markStored, type Request } from './item.js';
import type { IngestMetrics } from './metrics.js';
import { createPipeline } from './pipeline.js';
import { type PreparedGroup, resolve, type StagedGroup, takeThroughStages, UNSTORABLE } from './prepare.js';
import { STAGES } from './stages/index.js';
import type { Definitions } from './taxonomy/index.js';
import { type Troubles, troubleOf } from './trouble.js';
import type { Warnings } from './warnings/index.js';
import { createDedup } from './writer/dedup.js';
import { insertEvents } from './writer/insert-events.js';
import { insertSideRows } from './writer/insert-side-rows.js';
import { type OutboxSettler, recoverOutbox } from './writer/outbox.js';

/** Requests that go through the steps together. */
export interface Group<Done> {
  requests: readonly Request[];
  items: readonly Item[];
  /** What the next step takes; null: one before failed, and every undecided item has its error. */
  done: Done | null;
}

/**
 * The three steps of a group. None throws: what goes wrong is the answer of the requests. Each gives the event loop a turn
 * between its parts, which take some milliseconds each.
 */
export interface GroupSteps {
  /** Takes the events through the stages, but for those that are stored already. */
  stage(requests: readonly Request[]): Promise<Group<StagedGroup>>;
  /** Finds out their persons and groups, one group of events after another: each may change what the next one finds. */
  resolve(group: Group<StagedGroup>): Promise<Group<PreparedGroup>>;
  /**
   * Ends with all requests answered, after `earlier`: what came of the groups before, whose events these may repeat.
   */
  store(group: Group<PreparedGroup>, earlier: Promise<void>): Promise<void>;
}

/** Hears of stored events. */
export interface EventListener {
  /** The name of the events that it is told of. */
  event: string;
  stored(projectId: number, event: string, properties: JsonObject): void;
}

/** What is told while groups go by. */
interface Listeners {
  metrics: IngestMetrics;
  troubles: Troubles;
  warnings: Warnings;
  definitions: Definitions;
  outbox: OutboxSettler;
  listener: EventListener | null;
}

export function createGroupSteps(
  deps: Deps,
  { metrics, troubles, warnings, definitions, outbox, listener }: Listeners,
): GroupSteps {
  const { scheduler } = deps;
  const pipeline = createPipeline(
    STAGES,
    { uuid: () => deps.ids.uuid7(), locate: deps.services.locate },
    { timed: (stage, seconds) => metrics.stageSeconds.observe({ stage }, seconds) },
  );
  const dedup = createDedup(deps, (events) => metrics.lookups.inc(events));
  /** Whether the event store may have missed persons or groups: nothing is acknowledged until it has them. */
  let leftovers = false;

  async function storeSide(prepared: PreparedGroup): Promise<void> {
    try {
      await insertSideRows(deps, prepared.side, metrics);
      outbox.settle(prepared.outboxIds);
    } catch (error) {
      troubles.met('persons or groups could not be stored and will be replayed', error);
      leftovers = true;
    }
  }

  async function replayLeftovers(): Promise<void> {
    if (!leftovers) return;
    await recoverOutbox(deps);
    leftovers = false;
  }

  const hasNews = (projectId: number, event: string, properties: JsonObject) =>
    event === listener?.event || definitions.hasNews(projectId, event, properties);

  function tell(projectId: number, event: string, properties: JsonObject): void {
    definitions.event(projectId, event, properties);
    if (event === listener?.event) listener.stored(projectId, event, properties);
  }

  function failed({ requests, items }: Omit<Group<never>, 'done'>, error: unknown): Group<never> {
    troubles.met('a group of events could not be prepared', error);
    for (const item of items) item.error = unavailable(error);
    return { requests, items, done: null };
  }

  /** Tells the items what became of their rows. */
  function settle(prepared: PreparedGroup): void {
    let stored = 0;
    for (const { item, news, line } of prepared.rows) {
      if (line.state === 'stored') {
        stored++;
        if (item) markStored(item);
        if (news) tell(line.row.project_id, line.row.event, news);
      } else if (line.state === 'unstorable') {
        metrics.dropped.inc({ reason: UNSTORABLE.reason });
        if (item) item.outcome = { uuid: item.event.uuid, result: UNSTORABLE.result, details: UNSTORABLE.details };
      }
    }
    metrics.stored.inc(stored);
    for (const drop of prepared.drops) metrics.dropped.inc({ reason: drop.reason });
    warnings.add(prepared.warnings);
    definitions.persons(prepared.side.persons);
    definitions.groups(prepared.side.groups);
  }

  return {
    async stage(requests) {
      const items = itemsOf(requests);
      try {
        const duplicates = await dedup.claim(items);
        if (duplicates > 0) metrics.dropped.inc({ reason: 'duplicate' }, duplicates);
        return { requests, items, done: await takeThroughStages({ pipeline, hasNews, codec: deps.events.codec }, items) };
      } catch (error) {
        return failed({ requests, items }, error);
      }
    },
    async resolve({ requests, items, done }) {
      if (!done) return { requests, items, done };
      try {
        return { requests, items, done: await resolve(deps, done) };
      } catch (error) {
        // the persons may have been changed before it failed
        leftovers = true;
        return failed({ requests, items }, error);
      }
    },
    async store({ requests, items, done: prepared }, earlier) {
      let failure: unknown = null;
      if (prepared) {
        const lines = prepared.rows.map(({ line }) => line);
        const side = storeSide(prepared);
        await scheduler.yield();
        try {
          await insertEvents(deps, metrics, lines);
        } catch (error) {
          troubles.met('a group of events could not be stored', error);
          failure = unavailable(error);
        }
        await side;
      }
      await earlier;
      await scheduler.yield();
      if (prepared) settle(prepared);
      await scheduler.yield();
      dedup.release(items, failure !== null && !(failure instanceof EventsFull));
      try {
        await replayLeftovers();
        await answer(requests, items, failure, (error) => metrics.refused.inc({ reason: troubleOf(error) }));
        if (prepared && failure === null) troubles.over();
      } catch (error) {
        troubles.met('what was left of persons and groups could not be replayed', error);
        for (const request of requests) request.reject(unavailable(error));
        metrics.refused.inc({ reason: troubleOf(error) }, requests.length);
      }
    },
  };
}

/** Whatever a store threw, to the client it means: try again. */
function unavailable(error: unknown): EventsUnavailable | EventsFull {
  if (error instanceof EventsUnavailable || error instanceof EventsFull) return error;
  return new EventsUnavailable('a store cannot take events now', { cause: error });
}
