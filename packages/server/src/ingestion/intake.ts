import { QueueFull } from '../http/sdk/index.js';
import { createPending } from '../kernel/pending.js';
import { inBackground, sleep, withinTime } from '../kernel/scheduler.js';
import { EventsUnavailable } from '../ports/events.js';
import type { Clock } from '../ports/system.js';
import { createBoundedQueue, type QueueLine } from './bounded-queue.js';
import type { CapturedEvent, Intake, IntakeDeps, Outcome } from './capture.js';
import { createGroupSteps, type EventListener } from './group-steps.js';
import type { Request } from './item.js';
import { createIngestMetrics } from './metrics.js';
import { estimateLength } from './storable.js';
import { createStorageFaults } from './storage-faults.js';
import { createDefinitions } from './taxonomy/index.js';
import { createWarnings } from './warnings.js';
import { createOutboxSettler } from './writer/outbox.js';

/** Limits of one group. */
const GROUP_EVENTS = 1_000;
const GROUP_BYTES = 8 * 1024 * 1024;
/** Minimal interval between inserts of small groups: ClickHouse writes a part for each insert and must merge them all. */
const LINGER_MS = 10;
/** Queued events that justify an insert without lingering. */
const LARGE_EVENTS = 500;
/**
 * Concurrent groups after the stages: one resolves its persons, the others are being inserted. An insert uses one core and waits for the disk in
 * between.
 */
const STORING_GROUPS = 3;
/** Time limit of closing, to drain the queue. */
const CLOSE_MS = 15_000;
/** Interval in which waiting requests are rejected while the event store is unavailable; milliseconds. */
const REFUSE_MS = 250;

/**
 * The intake: queues captures, forms groups, and answers when the stores hold them. Groups are pipelined:
 *
 *     group 1   stage ─ resolve ─ insert ────── answer
 *     group 2           stage ─── resolve ─ insert ────── answer
 *     group 3                     stage ─── resolve ─ insert ────── answer
 *
 * Histories have a pipeline of their own, whose work yields to all other: what people do now never waits for a group of an import.
 *
 * @param listener receives stored events of one name
 */
export function createIntake(deps: IntakeDeps, listener: EventListener | null = null): Intake {
  const { clock, config, log, scheduler } = deps;
  const queue = createBoundedQueue<Request>(config.queueBytes);
  const lagMs = () => Math.max(0, clock.now() - (queue.oldest() ?? clock.now()));
  const waitingEvents = () => queue.live.events() + queue.background.events();
  const metrics = createIngestMetrics(deps.metrics, () => ({ lagMs: lagMs(), events: waitingEvents(), bytes: queue.bytes() }));
  const faults = createStorageFaults(log, () => clock.now());
  const warnings = createWarnings(deps);
  const definitions = createDefinitions(deps);
  const outbox = createOutboxSettler(deps);
  /** Captures that are not historical and have no answer yet. */
  let live = 0;
  const background = inBackground(scheduler, () => live > 0);
  const steps = createGroupSteps(deps, { metrics, faults, warnings, definitions, outbox, listener }, background);

  /** Empties one line of the queue. */
  async function run(line: QueueLine<Request>, isBackground: boolean): Promise<void> {
    const linger = createLinger(clock, LINGER_MS, (ms) => sleep(scheduler, ms));
    const storing = new Set<Promise<void>>();
    let resolved: Promise<unknown> = Promise.resolve();
    let answered = Promise.resolve();
    while (await line.waitForItems()) {
      await linger.wait(() => line.events() >= LARGE_EVENTS);
      const taken = line.take(GROUP_EVENTS, GROUP_BYTES);
      const staged = await steps.stage(
        taken.map(({ value }) => value),
        isBackground,
      );
      await resolved;
      if (storing.size >= STORING_GROUPS) await Promise.race(storing);
      linger.started();
      const resolving = steps.resolve(staged);
      const earlier = answered;
      const stored = resolving
        .then((group) => steps.store(group, earlier))
        .catch((error: unknown) => {
          log.error({ err: error }, 'a group of events failed unexpectedly');
          for (const { value } of taken) value.reject(error);
        })
        .finally(() => {
          storing.delete(stored);
          queue.release(taken);
        });
      storing.add(stored);
      resolved = resolving.catch(() => {});
      answered = stored;
    }
    await answered;
  }

  /** Ends an estimate, with turns for other work. */
  async function finish(estimate: Estimate): Promise<void> {
    do await scheduler.yield();
    while (!estimate.goOn());
  }

  const finished = Promise.all([run(queue.live, false), run(queue.background, true)]);
  const pending = createPending();
  const away = () => new EventsUnavailable('the event store does not answer');
  // The groups in flight continue: their events may still be stored, and dedup must know it when the client retries.
  const stopRefusing = scheduler.every(REFUSE_MS, () => {
    if (pending.size() === 0 || deps.events.acceptsInserts()) return;
    const error = away();
    faults.met('captures are refused', error);
    metrics.refused.inc({ reason: 'unavailable' }, pending.size());
    pending.rejectAll(error);
  });

  return {
    background,
    capture(capture) {
      if (capture.warnings) warnings.add(capture.warnings);
      if (capture.events.length === 0) return Promise.resolve([]);
      metrics.received.inc(capture.events.length);
      if (!deps.events.acceptsInserts()) {
        metrics.refused.inc({ reason: 'unavailable' });
        return Promise.reject(away());
      }
      let resolve: Request['resolve'] = () => {};
      let reject: Request['reject'] = () => {};
      const outcomes = new Promise<Outcome[]>((onOutcomes, onError) => {
        resolve = onOutcomes;
        reject = onError;
      });
      const line = capture.isHistorical ? queue.background : queue.live;
      const since = clock.now();
      const add = (bytes: number) => {
        try {
          line.add({ value: { capture, outcomes, resolve, reject }, events: capture.events.length, bytes, since });
        } catch (error) {
          if (error instanceof QueueFull) metrics.refused.inc({ reason: 'queue_full' });
          reject(error);
        }
      };
      const estimate = createEstimate(capture.events);
      // nearly always in this turn
      if (estimate.goOn()) add(estimate.bytes());
      else finish(estimate).then(() => add(estimate.bytes()));
      if (!capture.isHistorical) {
        live++;
        const ended = () => live--;
        outcomes.then(ended, ended);
      }
      return pending.track(outcomes);
    },
    define({ persons, groups }) {
      for (const row of persons) definitions.person(row);
      for (const row of groups) definitions.group(row);
    },
    state: () => ({
      lagMs: lagMs(),
      waitingEvents: waitingEvents(),
      liveEvents: queue.live.events(),
      refusing: faults.now(),
    }),
    async close() {
      stopRefusing();
      queue.close();
      await withinTime<unknown>(scheduler, CLOSE_MS, finished, () => {});
      await Promise.all([warnings.close(), definitions.close(), outbox.close()]);
    },
  };
}

/** Linger of a batcher (as in Kafka producers): delays small groups, so that they do not become many small inserts. */
interface Linger {
  /** Resolves `lingerMs` after the start of the last insert; at once if that time has passed or `isLarge()`. */
  wait(isLarge: () => boolean): Promise<void>;
  /** Records the start of an insert. */
  started(): void;
}

/** `sleep` takes milliseconds. */
export function createLinger(clock: Clock, lingerMs: number, sleep: (ms: number) => Promise<unknown>): Linger {
  let last = Number.NEGATIVE_INFINITY;
  return {
    async wait(isLarge) {
      const passed = clock.now() - last;
      // a clock set back must not stop the service
      if (passed < 0 || passed >= lingerMs || isLarge()) return;
      await sleep(lingerMs - passed);
    },
    started() {
      last = clock.now();
    },
  };
}

/** Estimates the memory of events in bytes: close to their size as JSON, without serializing. */
interface Estimate {
  /** Estimates further events, for some milliseconds. Returns whether all are estimated. */
  goOn(): boolean;
  /** Of the events so far. */
  bytes(): number;
}

/** Bytes that are estimated in one turn: 10 ms where objects have thousands of members. */
const ESTIMATED_PER_TURN = 512 * 1024;
/** Estimated bytes from which on an event is large. */
const LARGE_BYTES = 64 * 1024;

function createEstimate(events: readonly CapturedEvent[]): Estimate {
  let bytes = 0;
  let next = 0;
  return {
    goOn() {
      const enough = bytes + ESTIMATED_PER_TURN;
      for (; next < events.length && bytes < enough; next++) {
        const event = events[next];
        if (!event) continue;
        const { plain, properties } = event;
        const own = plain?.encoded.length ?? estimateLength(properties);
        if (!plain && own >= LARGE_BYTES) event.isLarge = true;
        bytes += 200 + event.event.length + event.distinctId.length + own;
      }
      return next >= events.length;
    },
    bytes: () => bytes,
  };
}
