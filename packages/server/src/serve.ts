import { createServer } from 'node:net';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { openBlobs, openFolder } from './adapters/blobs/index.js';
import { openEvents } from './adapters/clickhouse/index.js';
import { noEvents } from './adapters/no-events.js';
import { openPostgres } from './adapters/postgres/index.js';
import { createScheduler, lockDataDirectory, systemClock, systemIds } from './adapters/system/index.js';
import { buildApp } from './app.js';
import { requireFinished } from './backup/index.js';
import { type Config, ConfigError, loadConfig } from './config.js';
import type { Deps } from './deps.js';
import { isConnectionFault } from './http/error-handler.js';
import { recoverOutbox } from './ingestion/index.js';
import { needsEvents } from './kernel/roles.js';
import { retryWhile } from './kernel/scheduler.js';
import { EventsUnavailable } from './ports/events.js';
import type { Scheduler } from './ports/system.js';
import { ensureInitAccount, firstAccountExists } from './resources/accounts/index.js';
import { withServices } from './services.js';
import type { Output } from './terminal/colors.js';
import { createStartScreen, type StartScreen } from './terminal/start-screen.js';
import { VERSION } from './version.js';

/** How long a stop may take before the process ends anyway; milliseconds. */
const STOP_DEADLINE_MS = 30_000;

/**
 * Runs the service until SIGTERM, SIGINT or SIGHUP, then stops it and exits with code 0. An error at the start is written to stderr in
 * one sentence, with exit code 1.
 */
export async function serve(env: Record<string, string | undefined>, output: Output): Promise<void> {
  /** Functions that close what is open, in the order of opening. They are called in reverse. */
  const open: (() => Promise<unknown>)[] = [];
  const closeAll = async () => {
    for (const close of open.reverse()) await close();
    open.length = 0;
  };
  const scheduler = createScheduler();
  const stopping = stopOnSignals(closeAll, scheduler);
  try {
    const config = loadConfig(env);
    stopping.allow(config.drainSeconds * 1_000);
    const screen = createStartScreen(config, { output, version: VERSION, hasLogLevel: Boolean(env['TIDEMARK_LOG_LEVEL']) });
    stopping.tell(screen);
    const { deps, url } = await start(config, { screen, scheduler }, open);
    if (stopping.now()) return;
    screen.listening(url, await retryWhile(scheduler, isAway, () => firstAccountExists(deps)));
  } catch (error) {
    if (stopping.now()) return;
    console.error(sentence(error));
    await closeAll().catch(() => {});
    process.exit(1);
  }
}

interface Running {
  deps: Deps;
  /** The address that it listens on. */
  url: string;
}

async function start(
  config: Config,
  { screen, scheduler }: { screen: StartScreen; scheduler: Scheduler },
  open: (() => Promise<unknown>)[],
): Promise<Running> {
  const { log } = screen;
  const lock = await lockDataDirectory(config.dataDir);
  open.push(() => lock.release());
  await requireFinished(config);
  await requireFreePort(config);
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  const blobs = await openBlobs(config, log);
  open.push(() => blobs.close());
  const opening = openPostgres(config, log, scheduler).then((store) => {
    open.push(() => store.close());
    screen.done(`PostgreSQL (${config.databaseUrl ? 'of DATABASE_URL' : 'embedded'})`);
    return store;
  });
  const openStore = async () => {
    const store = await openEvents(config, { log, scheduler, metrics, clock: systemClock });
    open.push(() => store.close());
    screen.done(`event store (${config.clickhouseUrl ? 'of CLICKHOUSE_URL' : 'embedded ClickHouse'})`);
    return store;
  };
  // a ClickHouse server has no locks of its own, and may be another Tidemark server's, too
  const openShared = () => opening.then(({ migrateAlone }) => migrateAlone(openStore));
  const hasEvents = needsEvents(config) || !config.clickhouseUrl;
  const openingEvents = !hasEvents ? noEvents() : config.clickhouseUrl ? openShared() : openStore();
  const [postgres, events] = await Promise.all([opening, openingEvents]);
  const changes = await retryWhile(scheduler, isAway, () => postgres.listenToChanges());
  const deps = withServices({
    config,
    clock: systemClock,
    scheduler,
    ids: systemIds,
    log,
    metrics,
    db: postgres.db,
    changes,
    events,
    blobs,
    openFolder: (place, options) => openFolder(place, { ...options, log }),
  });
  // a store that hangs or crashes now is restarted meanwhile
  await retryWhile(scheduler, isAway, async () => {
    await ensureInitAccount(deps);
    if (hasEvents) await recoverOutbox(deps);
  });
  const app = await buildApp(deps);
  open.push(() => app.close());
  const url = await app.listen({ port: config.port, host: config.host });
  return { deps, url };
}

/** Checks that the port is free before the stores are created. @throws the error of listening */
async function requireFreePort({ port, host }: Config): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  await new Promise((resolve) => server.close(resolve));
}

const isAway = (error: unknown): boolean =>
  error instanceof EventsUnavailable || (error instanceof Error && isConnectionFault(error));

/** Stops in order on the first signal; at once on a second one or past the deadline. */
function stopOnSignals(
  closeAll: () => Promise<void>,
  scheduler: Scheduler,
): {
  now: () => boolean;
  /** Lets a stop take `ms` milliseconds more. */
  allow(ms: number): void;
  /** Tells of a stop there. */
  tell(screen: StartScreen): void;
} {
  let stopping = false;
  let deadline = STOP_DEADLINE_MS;
  let screen: StartScreen | null = null;
  /** Whether another signal is a second one: npm forwards the Ctrl+C that this process has already received from the terminal. */
  let impatient = false;
  const stop = (signal: NodeJS.Signals) => {
    if (impatient) process.exit(1);
    if (stopping) return;
    stopping = true;
    // a terminal that was closed takes no words
    const listener = signal === 'SIGHUP' ? null : screen;
    listener?.stopping();
    scheduler.after(500, () => {
      impatient = true;
    });
    scheduler.after(deadline, () => process.exit(1));
    closeAll().then(
      () => {
        listener?.stopped();
        process.exit(0);
      },
      (error) => {
        console.error(sentence(error));
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // the terminal was closed: without a handler the process would exit at once and leave PostgreSQL running
  process.on('SIGHUP', stop);
  return {
    now: () => stopping,
    allow: (ms) => {
      deadline = STOP_DEADLINE_MS + ms;
    },
    tell: (to) => {
      screen = to;
    },
  };
}

function sentence(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = (error as NodeJS.ErrnoException).code;
  if (error instanceof ConfigError) return error.message;
  if (code === 'EADDRINUSE') {
    return `PORT ${'port' in error ? error.port : ''} is in use by another program: choose another PORT.`;
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return 'HOST is not an address of this machine.';
  if (code === 'EACCES' && error.message.includes('listen')) return 'PORT may not be opened by this user: choose one above 1023.';
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'The disk of TIDEMARK_DATA is full: make room on it, and start again.';
  if (code === 'EACCES' || code === 'EROFS' || code === 'ENOTDIR') return `TIDEMARK_DATA cannot be written: ${error.message}.`;
  return error.message;
}
