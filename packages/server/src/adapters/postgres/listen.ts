import type pg from 'pg';
import type { Logger } from 'pino';
import { sleep, withinTime } from '../../kernel/scheduler.js';
import { type Changes, SERVICE_SESSION } from '../../ports/changes.js';
import type { Scheduler } from '../../ports/system.js';
import { connectWhenReady } from './pool.js';
import type { Servers } from './servers.js';

/** Pause before a reconnect; milliseconds. */
const PAUSE_MS = 200;
/** Interval of heartbeats on the connection, and how long a response may take; milliseconds. */
const HEARTBEAT_MS = 5_000;

export interface Listener {
  notified(payload: string): void;
  /** The connection is lost. Notifications are missed from now on. */
  disconnected(): void;
  /** The connection is back. Notifications arrive again. */
  reconnected(): void;
}

/**
 * Listens on a channel through a dedicated connection, and reconnects whenever it breaks.
 * @returns stops listening
 */
export async function listen(
  servers: Servers,
  channel: string,
  listener: Listener,
  { log, scheduler }: { log: Logger; scheduler: Scheduler },
): Promise<() => Promise<void>> {
  const stopping = new AbortController();

  /** Resolves with a promise of the connection's end. */
  const attach = async () => {
    const client = await connectWhenReady(servers, scheduler, stopping.signal);
    const ended = new Promise<void>((resolve) => client.once('end', resolve));
    void ended.then(scheduler.every(HEARTBEAT_MS, () => void endWithoutResponse(client, servers, scheduler)));
    client.on('notification', (message) => listener.notified(message.payload ?? ''));
    try {
      await client.query("select set_config('application_name', $1, false)", [SERVICE_SESSION]);
      await client.query(`listen ${client.escapeIdentifier(channel)}`);
    } catch (error) {
      await client.end();
      throw error;
    }
    return { client, ended };
  };

  let attached = await attach();
  const watch = async () => {
    for (;;) {
      await attached.ended;
      if (!stopping.signal.aborted) listener.disconnected();
      while (!stopping.signal.aborted) {
        try {
          await sleep(scheduler, PAUSE_MS, stopping.signal);
          attached = await attach();
          break;
        } catch (error) {
          if (!stopping.signal.aborted) log.warn({ channel, reason: String(error) }, 'cannot listen to PostgreSQL');
        }
      }
      if (stopping.signal.aborted) return;
      listener.reconnected();
    }
  };
  const watching = watch();

  return async () => {
    stopping.abort();
    await attached.client.end();
    await watching;
    await attached.client.end();
  };
}

/**
 * Ends a connection without a response, or to a server that is not in use any more. A broken network path is only noticed by sending, and a
 * listener sends nothing otherwise.
 */
async function endWithoutResponse(client: pg.Client, servers: Servers, scheduler: Scheduler): Promise<void> {
  if (!servers.isCurrent(client)) return client.end();
  const answer = client.query('select').catch(() => null);
  if ((await withinTime(scheduler, HEARTBEAT_MS, answer, () => 'late')) === 'late') await client.end();
}

/** Channel of the triggers in migrations/0010_changes.sql. */
const CHANNEL = 'tidemark_changes';

/** Listens to changes of the metadata until it is closed. */
export async function listenToChanges(
  servers: Servers,
  options: { log: Logger; scheduler: Scheduler },
): Promise<Changes & { close(): Promise<void> }> {
  const listeners: ((projectId: number | null) => void)[] = [];
  let isListening = true;
  const notify = (projectId: number | null) => {
    for (const listener of listeners) listener(projectId);
  };
  const close = await listen(
    servers,
    CHANNEL,
    {
      notified: (payload) => notify(payload === '' ? null : Number(payload)),
      disconnected: () => {
        isListening = false;
        notify(null);
      },
      reconnected: () => {
        isListening = true;
        notify(null);
      },
    },
    options,
  );
  return { onChange: (listener) => listeners.push(listener), isListening: () => isListening, close };
}
