import { createPending } from './pending.js';
import type { Scheduler } from './scheduler.js';

/** How often the watchdog looks; milliseconds. */
const TICK_MS = 250;
/** Between the probes of a store that answers; milliseconds. */
const PROBE_EVERY_MS = 1_000;
/** A probe without an answer is given up, and the next one begins; milliseconds. */
const PROBE_MS = 2_000;
/** A store that has not answered a probe for so long does not answer requests either; milliseconds. */
const SILENT_MS = 3_000;
/** A store that has not answered a probe for so long hangs, by default; milliseconds. */
const HUNG_MS = 12_000;

export interface WatchdogOptions {
  scheduler: Scheduler;
  /** Asks the store for a sign of life, apart from its work. Rejects when there is none; ends when it is aborted. */
  probe(signal: AbortSignal): Promise<unknown>;
  /** What callers get instead of an answer of a silent store. */
  error(): Error;
  /** Called each time that there was no sign of life for `hungMs`. */
  onHung?(): void;
  hungMs?: number;
}

/**
 * Watches a store that may hang without ending. Only time in which this process itself was running counts, so neither a machine that was
 * suspended nor one too busy for our own timers makes a store look hung.
 */
export interface Watchdog {
  /** False when the store has given no sign of life for {@link SILENT_MS}. */
  answers(): boolean;
  /** The work's result; rejects with the error of the options as soon as the store does not answer. The work itself goes on. */
  guard<T>(work: Promise<T>): Promise<T>;
  /** The store answered something. */
  alive(): void;
  /** The store is being started again: its hang begins to count anew. */
  restarted(): void;
  stop(): void;
}

export function createWatchdog({ scheduler, probe, error, onHung = () => {}, hungMs = HUNG_MS }: WatchdogOptions): Watchdog {
  const waiting = createPending();
  /** Milliseconds of our own running time since the oldest probe without an answer; null: all were answered. */
  let silence: number | null = null;
  let hung = 0;
  let probing: { since: number; stop: AbortController } | null = null;
  let lastProbe = Number.NEGATIVE_INFINITY;
  let lastTick = scheduler.uptime();

  const answers = () => silence === null || silence < SILENT_MS;
  const alive = () => {
    silence = null;
    hung = 0;
  };

  function begin(now: number): void {
    const stop = new AbortController();
    probing = { since: now, stop };
    lastProbe = now;
    silence ??= 0;
    probe(stop.signal)
      .then(alive, () => {})
      .finally(() => {
        if (probing?.stop === stop) probing = null;
      });
  }

  function tick(): void {
    const now = scheduler.uptime();
    // a longer gap is a time in which this process did not run
    const passed = Math.min(now - lastTick, 2 * TICK_MS);
    lastTick = now;
    if (silence !== null) {
      silence += passed;
      hung += passed;
    }
    if (probing && now - probing.since > PROBE_MS) {
      probing.stop.abort();
      probing = null;
    }
    if (!probing && (silence !== null || now - lastProbe >= PROBE_EVERY_MS)) begin(now);
    if (!answers() && waiting.size() > 0) waiting.rejectAll(error());
    if (hung >= hungMs) {
      hung = 0;
      onHung();
    }
  }

  const stopTicking = scheduler.every(TICK_MS, tick);
  return {
    answers,
    alive,
    guard: (work) => {
      if (answers()) return waiting.track(work);
      work.catch(() => {});
      return Promise.reject(error());
    },
    restarted: () => {
      hung = 0;
    },
    stop: () => {
      stopTicking();
      probing?.stop.abort();
    },
  };
}
