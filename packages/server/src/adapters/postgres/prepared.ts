import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import type pg from 'pg';
import type { Scheduler } from '../../kernel/scheduler.js';
import { sqlState } from '../../kernel/sql-state.js';
import type { Watchdog } from '../../kernel/watchdog.js';
import { connectionOf, isSilence, silence } from './pool.js';

/** Uses after which a statement is prepared: planning it costs about as much as running it. */
const WORTH_IT = 3;
/** Statements that each connection prepares at most: every one costs it some ten kilobytes. */
const MOST = 200;
/** Statements that are counted at most: lists of values of many lengths make many texts. */
const MOST_COUNTED = 2_000;

const COMMANDS = ['INSERT', 'UPDATE', 'DELETE', 'MERGE', 'SELECT'] as const;

/** PostgreSQL refuses to write: the server has become a standby, and connections must find the new primary. */
const READ_ONLY = '25006';

/**
 * A pool whose connections plan each statement that comes again and again only once. A connection is not used again on which nothing comes
 * back, or whose server has become read-only.
 * @param guard fails a call as soon as the server does not answer
 */
export function prepared(pool: pg.Pool, scheduler: Scheduler, guard: Watchdog['guard'] = (work) => work): PostgresPool {
  const nameOf = createNames();
  // Kysely knows a connection by its identity
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>();

  function wrap(client: pg.PoolClient): PostgresPoolClient {
    /** Nothing comes back on this connection any more, so nobody else may wait on it. */
    let silent: Error | null = null;
    /** Why nobody else may use this connection. */
    let spent: Error | null = null;
    async function run<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>> {
      if (silent) throw silent;
      const name = values.length > 0 ? nameOf(text) : undefined;
      const asked = client.query<R & pg.QueryResultRow>({ text, values: [...values], ...(name ? { name } : {}) });
      const { command, rowCount, rows } = await guard(asked).catch((error: unknown) => {
        if (sqlState(error) === READ_ONLY && error instanceof Error) spent = error;
        if (!isSilence(error)) throw error;
        silent = silence(error);
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
      if (typeof text !== 'string') throw new TypeError('there are no cursors here');
      return run<R>(text, values);
    }
    return { query, release: () => client.release(silent ?? spent ?? undefined) };
  }

  return {
    connect: async () => {
      const connecting = connectionOf(pool, scheduler);
      const client = await guard(connecting).catch((error: unknown) => {
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

/** Gives names to the statements that are worth it. */
function createNames(): (text: string) => string | undefined {
  const uses = new Map<string, number>();
  const names = new Map<string, string>();
  return (text) => {
    const name = names.get(text);
    if (name || names.size >= MOST) return name;
    const count = (uses.get(text) ?? 0) + 1;
    if (count > WORTH_IT) {
      uses.delete(text);
      names.set(text, `tidemark_${names.size}`);
    } else if (uses.size < MOST_COUNTED) uses.set(text, count);
    else uses.clear();
    return undefined;
  };
}
