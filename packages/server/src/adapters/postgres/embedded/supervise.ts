import type { ChildProcess } from 'node:child_process';
import type { Logger } from 'pino';
import { sleep, withinTime } from '../../../kernel/scheduler.js';
import { createWatchdog } from '../../../kernel/watchdog.js';
import type { Scheduler } from '../../../ports/system.js';
import { isTransient } from '../pool.js';
import { STOP_STEPS } from './orphans.js';

/** Pause before a restart, doubled after each failure; milliseconds. */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;
/** Limit of a start, milliseconds: far more than recovery needs, which replays at most `max_wal_size`. */
const START_DEADLINE_MS = 300_000;
/** A starting server that accepts no connection for so long counts as hung; doubled with each start. Milliseconds. */
const START_HUNG_MS = 15_000;
/** How often the first start is retried when the server hangs or is killed. */
const FIRST_STARTS = 3;

/** The server hung or was killed before it was ready. The start can be retried. */
class ServerLost extends Error {
  override name = 'ServerLost';
}

export interface ServerProgram {
  /** Stops processes of an earlier run. */
  clear(): Promise<unknown>;
  spawn(): ChildProcess;
  /** Resolves once the server is ready for use. Rejects when `stopWaiting` is aborted. */
  ready(stopWaiting: AbortSignal): Promise<unknown>;
  /** Resolves once the server responds to a connection, even by refusing it because it is not ready. */
  answers(signal: AbortSignal): Promise<unknown>;
}

export interface Supervised {
  /** Shuts the server down without a restart. No recovery is needed afterwards. */
  stop(): Promise<void>;
  /** Kills a server that hangs; it is then restarted. Does nothing while it starts. */
  kill(): void;
}

interface Running {
  child: ChildProcess;
  /** Resolves with a text: its exit code or signal. */
  ended: Promise<string>;
}

/** Starts the server, and restarts it whenever it exits by itself. @throws Error with one sentence if the first start fails */
export async function supervise(program: ServerProgram, log: Logger, scheduler: Scheduler): Promise<Supervised> {
  const stopping = new AbortController();
  let child: ChildProcess | undefined;
  const killWithUs = () => child?.kill('SIGINT');
  process.once('exit', killWithUs);
  let lost = 0;
  const start = async () => {
    await program.clear();
    stopping.signal.throwIfAborted();
    child = program.spawn();
    try {
      const started = await settle(child, program, { scheduler, hungMs: START_HUNG_MS * 2 ** lost }, stopping.signal, log);
      lost = 0;
      return started;
    } catch (error) {
      if (error instanceof ServerLost) lost++;
      throw error;
    }
  };
  const startFirst = async () => {
    for (;;) {
      try {
        return await start();
      } catch (error) {
        if (!(error instanceof ServerLost) || lost === FIRST_STARTS) throw error;
        log.error({ reason: error.message }, 'PostgreSQL did not start, and is started again');
      }
    }
  };
  let running = await startFirst();
  let isUp = true;

  const watch = async () => {
    for (let pause = FIRST_PAUSE_MS; !stopping.signal.aborted; ) {
      const how = await running.ended;
      isUp = false;
      if (stopping.signal.aborted) return;
      log.warn({ how }, 'PostgreSQL ended by itself and is started again');
      for (;;) {
        try {
          await sleep(scheduler, pause, stopping.signal);
          running = await start();
          if (stopping.signal.aborted) return await terminate(running, scheduler);
          pause = FIRST_PAUSE_MS;
          isUp = true;
          log.info('PostgreSQL runs again');
          break;
        } catch (error) {
          if (stopping.signal.aborted) return;
          log.warn({ reason: String(error) }, 'PostgreSQL did not start');
          pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
        }
      }
    }
  };
  const watching = watch();

  return {
    async stop() {
      stopping.abort();
      await terminate(running, scheduler);
      await watching;
      process.off('exit', killWithUs);
    },
    kill() {
      if (isUp) running.child.kill('SIGKILL');
    },
  };
}

/** Waits until the server is ready. Stops it if it hangs or exceeds the limit. */
async function settle(
  child: ChildProcess,
  program: ServerProgram,
  { scheduler, hungMs }: { scheduler: Scheduler; hungMs: number },
  stop: AbortSignal,
  log: Logger,
): Promise<Running> {
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? `code ${code}`));
    child.once('error', (error) => resolve(error.message));
  });
  const lastLines = follow(child, log);
  const gone = new AbortController();
  void ended.then(() => gone.abort());
  const deadline = AbortSignal.timeout(START_DEADLINE_MS);
  let isHung = false;
  const watchdog = createWatchdog({
    scheduler,
    probe: program.answers,
    error: () => new Error('PostgreSQL does not answer'),
    hungMs,
    onHung: () => {
      isHung = true;
      child.kill('SIGKILL');
    },
  });
  try {
    await program.ready(AbortSignal.any([stop, gone.signal, deadline]));
    return { child, ended };
  } catch (error) {
    const how = gone.signal.aborted ? await ended : String(error);
    const isKilled = child.signalCode === 'SIGKILL' && !stop.aborted;
    // connections of a killed server may break before this process receives its exit
    const isDisconnected = isTransient(error) && !stop.aborted && !deadline.aborted;
    await terminate({ child, ended }, scheduler);
    const reason = `PostgreSQL did not start (${how}): ${lastLines.join(' ') || 'no output'}`;
    throw isHung || isKilled || isDisconnected ? new ServerLost(reason) : new Error(reason);
  } finally {
    watchdog.stop();
  }
}

/** Passes the server's output to the log of the service. @returns its last lines; the list is updated as output arrives */
function follow(child: ChildProcess, log: Logger): string[] {
  const last: string[] = [];
  let rest = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      log.debug({ line }, 'PostgreSQL');
      last.push(line);
      if (last.length > 8) last.shift();
    }
  });
  return last;
}

async function terminate({ child, ended }: Running, scheduler: Scheduler): Promise<void> {
  for (const [signal, patience] of STOP_STEPS) {
    child.kill(signal);
    if (
      await withinTime(
        scheduler,
        patience,
        ended.then(() => true),
        () => false,
      )
    )
      return;
  }
}
