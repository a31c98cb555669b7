import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import type pg from 'pg';
import type { Scheduler } from '../../kernel/scheduler.js';
import type { Watchdog } from '../../kernel/watchdog.js';
import { connector, isNoResponse, noResponse } from './pool.js';
import { isReadOnly, type Servers } from './servers.js';
import { processIdOf, type SessionWatch } from './sessions.js';

/** Uses after which a statement is prepared: planning it costs about as much as running it. */
const MIN_USES = 3;
/** Prepared statements of a connection, each of which costs it some ten kilobytes. */
const MAX_PREPARED = 200;
/** Statements whose uses are counted: lists of values of many lengths make many texts. */
const MAX_COUNTED = 2_000;

const COMMANDS = ['INSERT', 'UPDATE', 'DELETE', 'MERGE', 'SELECT'] as const;

/** How a pool notices that nothing will respond. */
export interface Guards {
  /** Rejects as soon as the server does not respond. */
  server: Watchdog['guard'];
  /** Rejects as soon as a session does not respond. */
  session: SessionWatch['watch'];
}

const UNGUARDED: Guards = { server: (work) => work, session: (_pid, work) => work };

/**
 * A pool whose connections plan a frequent statement only once. A connection whose session does not respond, or whose server has become
 * read-only, is ended and not used again.
 */
export function prepared(pool: pg.Pool, servers: Servers, scheduler: Scheduler, guards: Guards = UNGUARDED): PostgresPool {
  const nameOf = servers.pooler.keepsSessions ? createNames() : () => undefined;
  const connectionOf = connector(pool, servers, scheduler);
  // Kysely compares connections by identity
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>();

  function wrap(client: pg.PoolClient): PostgresPoolClient {
    const pid = processIdOf(client);
    /** Set once the session did not respond. Its statement may still succeed after the caller received the error. */
    let silent: Error | null = null;
    /** Set once the server has become read-only. */
    let spent: Error | null = null;
    async function run<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>> {
      if (silent) throw silent;
      const name = values.length > 0 ? nameOf(text) : undefined;
      const response = client.query<R & pg.QueryResultRow>({ text, values: [...values], ...(name ? { name } : {}) });
      const { command, rowCount, rows } = await guards.server(guards.session(pid, response)).catch((error: unknown) => {
        if (isReadOnly(error) && error instanceof Error) {
          spent = error;
          // connections must find the new primary: the others to this server are of no use either
          if (servers.isCurrent(client)) servers.giveUp();
        }
        if (!isNoResponse(error)) throw error;
        silent = noResponse(error);
        throw silent;
      });
      return { command: COMMANDS.find((known) => known === command) ?? 'SELECT', rowCount: rowCount ?? 0, rows };
    }
    function query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>>;
    function query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
    function query<R>(
      text: string | PostgresCursor<R>,
      values: readonly unknown[] = [],
    ): Promise<PostgresQueryResult<R>> | PostgresCursor<R> {
      if (typeof text !== 'string') throw new TypeError('cursors are not supported');
      return run<R>(text, values);
    }
    return { query, release: () => client.release(silent ?? spent ?? undefined) };
  }

  return {
    connect: async () => {
      const connecting = connectionOf();
      const client = await guards.server(connecting).catch((error: unknown) => {
        connecting.then(
          (late) => late.release(),
          () => {},
        );
        throw error;
      });
      const wrapped = clients.get(client) ?? wrap(client);
      clients.set(client, wrapped);
      return wrapped;
    },
    end: () => pool.end(),
  };
}

/** Names the statements that are used often enough to be prepared. */
function createNames(): (text: string) => string | undefined {
  const uses = new Map<string, number>();
  const names = new Map<string, string>();
  return (text) => {
    const name = names.get(text);
    if (name || names.size >= MAX_PREPARED) return name;
    const count = (uses.get(text) ?? 0) + 1;
    if (count > MIN_USES) {
      uses.delete(text);
      names.set(text, `tidemark_${names.size}`);
    } else if (uses.size < MAX_COUNTED) uses.set(text, count);
    else uses.clear();
    return undefined;
  };
}
