import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { EventsUnavailable } from '../../../ports/events.js';
import { type Engine, startEngine } from './engine.js';
import type { EngineOptions } from './protocol.js';

/** Milliseconds of pause before the engine is started again: doubled from first to last while it does not stay up. */
const FIRST_PAUSE = 20;
const LAST_PAUSE = 2_000;
/** Milliseconds of life after which a death counts as the first. */
const STEADY = 10_000;
/** Milliseconds for the engine to finish what it does when the service stops. */
const CLOSE_PATIENCE = 10_000;

export interface Supervisor {
  /** The engine that is up. @throws EventsUnavailable while it starts again */
  engine(): Engine;
  /** Lets the engine finish and ends it. */
  close(): Promise<void>;
}

/** Keeps one engine process up. @throws what kept the first one from starting */
export async function superviseEngine(options: EngineOptions, log: Logger, onRestart: () => void): Promise<Supervisor> {
  let current: Engine | null = await startEngine(options, log);
  let closing = false;
  const closed = new AbortController();
  const watching = watch();

  async function watch(): Promise<void> {
    let pause = FIRST_PAUSE;
    while (current) {
      const started = performance.now();
      await current.ended;
      current = null;
      if (closing) return;
      if (performance.now() - started > STEADY) pause = FIRST_PAUSE;
      log.warn('the event engine ended unexpectedly and is started again');
      onRestart();
      while (!current && !closing) {
        await sleep(pause, undefined, { signal: closed.signal }).catch(() => {});
        pause = Math.min(pause * 2, LAST_PAUSE);
        if (!closing) current = await startEngine(options, log).catch(complain);
      }
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
    close: async () => {
      closing = true;
      closed.abort();
      const engine = current;
      if (engine) {
        const patience = setTimeout(engine.kill, CLOSE_PATIENCE);
        await engine.call({ op: 'close' }).result.catch(() => {});
        clearTimeout(patience);
        engine.kill();
      }
      await watching;
      // one that was starting while the stop was asked for
      current?.kill();
      await current?.ended;
    },
  };
}
