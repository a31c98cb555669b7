import type { Ports } from '../../deps.js';
import type { Cancel } from '../../kernel/scheduler.js';
import type { DataVersion } from '../../ports/events.js';
import { COSTLY_MS } from './freshness.js';

/** Results that take less are renewed so many at a time; of costly ones one is. */
const CHEAPER_AT_A_TIME = 2;
/** Share of a core that costly renewals may take in the long run, and milliseconds of them that may come at once after a pause. */
const SHARE = 0.1;
const AT_ONCE_MS = 5_000;
/** A result that was not renewed for so long is renewed as if for the first time, milliseconds. */
const FORGOTTEN_MS = 600_000;
/** By how much a renewal may begin before it is due, so that no other one runs beside it; milliseconds. */
const EARLIER_MS = 1_500;
/** Renewals that begin within so many milliseconds read the version of their project's data once. */
const SHARED_MS = 2_000;

/** What a renewal computes from. */
export interface ReadVersion {
  version: DataVersion;
  /** When the version was read, epoch milliseconds. */
  at: number;
}

/** Computes results that nobody waits for: few at a time, and costly ones with pauses, so that the engine is there for callers who wait. */
export interface Renewals {
  /**
   * Renews a result when it is due and its turn comes, unless its renewal is planned for this time or an earlier one.
   * @param cost what the last computation took, milliseconds
   * @param due milliseconds until it is due
   * @param work must not reject
   */
  add(
    renewal: { key: string; projectId: number; cost: number; due: number },
    work: (read: () => Promise<ReadVersion>) => Promise<void>,
  ): void;
  /** Whether a result is being renewed or is due and waits for its turn. */
  has(key: string): boolean;
  /** Drops all that have not begun. */
  close(): void;
}

interface Waiting {
  key: string;
  /** What the last computation took, milliseconds. */
  cost: number;
  isCostly: boolean;
  /** The uptime since which it waits. */
  since: number;
  run(): Promise<void>;
}

export function createRenewals({ events, clock, scheduler }: Pick<Ports, 'events' | 'clock' | 'scheduler'>): Renewals {
  /** Results that are due later, by key: the uptime at which they are, what they take, and what cancels their timer. */
  const planned = new Map<string, { at: number; cost: number; cancel: Cancel }>();
  /** Waiting and running ones, by key. */
  const all = new Map<string, Waiting>();
  const waiting: Waiting[] = [];
  const running = { costly: 0, cheaper: 0 };
  const versions = new Map<number, ReadVersion>();
  /** Costly results that were renewed, by key: the uptime at which that ended. The one that was renewed last is the last. */
  const renewed = new Map<string, number>();
  /** The uptime at which the next costly renewal may begin. */
  let costlyAt = Number.NEGATIVE_INFINITY;
  let isTimerSet = false;
  let isClosed = false;

  async function readVersion(projectId: number): Promise<ReadVersion> {
    const now = clock.now();
    for (const [id, { at }] of versions) if (Math.abs(now - at) >= SHARED_MS) versions.delete(id);
    const known = versions.get(projectId);
    if (known) return known;
    const read = { version: sharing(await events.dataVersion(projectId)), at: now };
    versions.set(projectId, read);
    return read;
  }

  /** The last time until `at` from which on nothing else is planned for `cost` milliseconds; `at`, if that is long before. */
  function freeTime(at: number, cost: number): number {
    let free = at;
    for (const other of [...planned.values()].sort((one, two) => two.at - one.at)) {
      if (free < other.at + other.cost && other.at < free + cost) free = other.at - cost;
    }
    return free >= Math.max(at - EARLIER_MS, scheduler.uptime()) ? free : at;
  }

  function canStart({ isCostly }: Waiting): boolean {
    return isCostly ? running.costly === 0 && scheduler.uptime() >= costlyAt : running.cheaper < CHEAPER_AT_A_TIME;
  }

  async function start(one: Waiting): Promise<void> {
    const kind = one.isCostly ? 'costly' : 'cheaper';
    running[kind] += 1;
    const begun = scheduler.uptime();
    try {
      await one.run();
    } finally {
      const now = scheduler.uptime();
      if (one.isCostly && counts(one.key, now)) {
        costlyAt = Math.max(costlyAt, now - AT_ONCE_MS / SHARE) + (now - begun) / SHARE;
      }
      running[kind] -= 1;
      all.delete(one.key);
      startNext();
    }
  }

  /**
   * Whether a costly renewal that has just ended counts against what such renewals may take. The first one of a result does not: it may store
   * rows that later ones read (person-rows.ts), and what it seemed to cost was measured while a whole dashboard was computed.
   */
  function counts(key: string, now: number): boolean {
    for (const [other, at] of renewed) {
      if (now - at < FORGOTTEN_MS) break;
      renewed.delete(other);
    }
    const isKnown = renewed.delete(key);
    renewed.set(key, now);
    return isKnown;
  }

  /** Of costly ones the one that has waited longest in relation to what it takes: quick ones come more often, and none waits for ever. */
  function urgencyOf({ isCostly, since, cost }: Waiting): number {
    const waited = scheduler.uptime() - since;
    return isCostly ? waited / cost + 1 / cost : Number.POSITIVE_INFINITY;
  }

  function startNext(): void {
    for (;;) {
      const able = waiting.filter(canStart);
      const [first, ...others] = able;
      if (!first) break;
      const next = others.reduce((best, one) => (urgencyOf(one) > urgencyOf(best) ? one : best), first);
      waiting.splice(waiting.indexOf(next), 1);
      void start(next);
    }
    const pause = costlyAt - scheduler.uptime();
    if (isTimerSet || pause <= 0 || !waiting.some(({ isCostly }) => isCostly)) return;
    isTimerSet = true;
    scheduler.after(pause, () => {
      isTimerSet = false;
      startNext();
    });
  }

  return {
    add: ({ key, projectId, cost, due }, work) => {
      if (isClosed || all.has(key)) return;
      const at = scheduler.uptime() + due;
      const plan = planned.get(key);
      if (plan && plan.at <= at) return;
      plan?.cancel();
      planned.delete(key);
      if (due > 0) {
        const free = freeTime(at, cost);
        planned.set(key, { at: free, cost, cancel: scheduler.after(free - at + due, begin) });
      } else begin();

      function begin(): void {
        planned.delete(key);
        const run = () => work(() => readVersion(projectId));
        const added = { key, cost, isCostly: cost >= COSTLY_MS, since: scheduler.uptime(), run };
        all.set(key, added);
        waiting.push(added);
        startNext();
      }
    },
    has: (key) => all.has(key),
    close: () => {
      isClosed = true;
      for (const { cancel } of planned.values()) cancel();
      planned.clear();
      waiting.length = 0;
    },
  };
}

/** A version whose days are looked up once for all who ask. */
function sharing(version: DataVersion): DataVersion {
  let days: ReturnType<DataVersion['days']> | undefined;
  let births: ReturnType<DataVersion['births']> | undefined;
  return { ...version, days: () => (days ??= version.days()), births: () => (births ??= version.births()) };
}
