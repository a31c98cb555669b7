import { createPending } from './pending.js';
import type { Scheduler } from './scheduler.js';

/** Interval of the watchdog's checks; milliseconds. */
const TICK_MS = 250;
/** Interval of probes while the store responds; milliseconds. */
const PROBE_EVERY_MS = 1_000;
/** Timeout of a probe, after which the next one starts; milliseconds. */
const PROBE_MS = 2_000;
/** Time without a response after which requests to the store are rejected; milliseconds. */
const SILENT_MS = 3_000;
/** Default time without a response after which the store counts as hung; milliseconds. */
const HUNG_MS = 12_000;

export interface WatchdogOptions {
  scheduler: Scheduler;
  /** Sends a trivial request to the store, independent of its load. Rejects if it fails or is aborted. */
  probe(signal: AbortSignal): Promise<unknown>;
  /** The error that callers of {@link Watchdog.guard} get while the store does not respond. */
  error(): Error;
  /** Called each time the store has not responded for `hungMs`. */
  onHung?(): void;
  hungMs?: number;
}

/**
 * Detects a store that hangs without exiting. Only time in which this process itself was running counts: a machine that was suspended,
 * or too busy for the timers of this process, does not make the store look hung.
 */
export interface Watchdog {
  /** False if the store has not responded for {@link SILENT_MS}. */
  answers(): boolean;
  /** Settles as the work does, or rejects with the error of the options once the store does not respond. The work itself continues. */
  guard<T>(work: Promise<T>): Promise<T>;
  /** To be called when the store has responded to anything. */
  alive(): void;
  /** To be called when the store is restarted: resets the time without a response. */
  restarted(): void;
  stop(): void;
}

export function createWatchdog({ scheduler, probe, error, onHung = () => {}, hungMs = HUNG_MS }: WatchdogOptions): Watchdog {
  const waiting = createPending();
  /** Milliseconds of this process's running time since the oldest probe without a response; null: none is open. */
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
