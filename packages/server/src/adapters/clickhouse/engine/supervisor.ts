import { basename } from 'node:path';
import type { Logger } from 'pino';
import { sleep } from '../../../kernel/scheduler.js';
import { createWatchdog, type Watchdog } from '../../../kernel/watchdog.js';
import { EventsUnavailable } from '../../../ports/events.js';
import type { Scheduler } from '../../../ports/system.js';
import { type Engine, EngineLost, PROCESS, startEngine } from './engine.js';
import { killOrphans } from './orphans.js';
import type { EngineOptions } from './protocol.js';

/** Pause before the engine is started again, doubled from first to last while it does not stay up; milliseconds. */
const FIRST_PAUSE = 20;
const LAST_PAUSE = 2_000;
/** Uptime of an engine after which the pauses begin anew; milliseconds. */
const STEADY = 10_000;
/** How long the engine may take to finish its work when the service stops; milliseconds. */
const CLOSE_PATIENCE = 10_000;
/** Attempts of the first start when the engine hangs or is killed in it. */
const FIRST_STARTS = 3;

export interface Supervisor {
  /** The engine that is up. @throws EventsUnavailable while it starts again or hangs */
  engine(): Engine;
  /** The work's result; rejects with EventsUnavailable as soon as the engine has given no sign of life for some seconds. */
  guard: Watchdog['guard'];
  /** Whether the engine gives signs of life. */
  answers(): boolean;
  /** Lets the engine finish and ends it. */
  close(): Promise<void>;
}

interface SupervisorOptions {
  log: Logger;
  scheduler: Scheduler;
  onRestart(): void;
}

/**
 * Keeps one engine process running.
 *
 *     starting ──▶ open ──▶ hung (no response for 12 s) ──▶ killed ─┐
 *        ▲           └────▶ ended by itself ────────────────────────┤
 *        └────────────────── after a pause of 20 ms to 2 s ◀────────┘
 *
 * @throws what kept the first one from starting
 */
export async function superviseEngine(
  options: EngineOptions,
  { log, scheduler, onRestart }: SupervisorOptions,
): Promise<Supervisor> {
  await killOrphans(options.path, basename(PROCESS));
  let current: Engine | null = await startFirst();
  let closing = false;
  const closed = new AbortController();
  const watchdog = createWatchdog({
    scheduler,
    probe: async () => {
      if (!current) throw new EventsUnavailable('The event engine is starting again.');
      await current.call({ op: 'ping' }).result;
    },
    error: () => new EventsUnavailable('The event engine does not answer.'),
    onHung: () => {
      if (!current || closing) return;
      log.error('the event engine hangs, and is killed and started again');
      current.kill();
    },
  });
  const watching = watch();

  async function startFirst(): Promise<Engine> {
    for (let tries = 1; ; tries++) {
      try {
        return await startEngine(options, log, scheduler);
      } catch (error) {
        if (!(error instanceof EngineLost) || tries === FIRST_STARTS) throw error;
        log.error({ reason: error.message }, 'the event engine did not start, and is started again');
      }
    }
  }

  async function watch(): Promise<void> {
    let pause = FIRST_PAUSE;
    while (current) {
      const started = scheduler.uptime();
      await current.ended;
      current = null;
      if (closing) return;
      if (scheduler.uptime() - started > STEADY) pause = FIRST_PAUSE;
      log.warn('the event engine ended unexpectedly and is started again');
      onRestart();
      while (!current && !closing) {
        await sleep(scheduler, pause, closed.signal).catch(() => {});
        pause = Math.min(pause * 2, LAST_PAUSE);
        if (!closing) current = await startEngine(options, log, scheduler).catch(complain);
      }
      watchdog.restarted();
    }
  }

  function complain(error: unknown): null {
    log.error({ reason: error instanceof Error ? error.message.slice(0, 300) : 'unknown' }, 'the event engine does not start');
    return null;
  }

  return {
    engine: () => {
      if (!current || closing) throw new EventsUnavailable(`The event engine ${closing ? 'is stopped' : 'is starting again'}.`);
      return current;
    },
    guard: watchdog.guard,
    answers: watchdog.answers,
    close: async () => {
      closing = true;
      closed.abort();
      watchdog.stop();
      const engine = current;
      if (engine) {
        const cancel = scheduler.after(CLOSE_PATIENCE, engine.kill, { keepsAlive: true });
        await engine.call({ op: 'close' }).result.catch(() => {});
        cancel();
        engine.kill();
      }
      await watching;
      // an engine that was starting when the service stopped
      current?.kill();
      await current?.ended;
    },
  };
}
