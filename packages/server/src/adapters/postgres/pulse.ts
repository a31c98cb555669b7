import { once } from 'node:events';
import { connect } from 'node:net';
import pg from 'pg';
import type { Servers } from './servers.js';

/** A connection to the server apart from the pool, which finds out whether the server and its sessions respond. */
export interface Pulse {
  /** Resolves when the server has responded. */
  probe(signal: AbortSignal): Promise<void>;
  /** Runs a statement and returns its rows. */
  query<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[]): Promise<Row[]>;
  close(): void;
}

/** Timeout of a connection, milliseconds. */
const CONNECT_TIMEOUT_MS = 2_000;
/** Probes for each new connection: a connection costs the server a process. */
const PROBES_PER_CONNECTION = 3;
/** PostgreSQL's SSLRequest, which a server answers with one byte before anybody has logged in. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** @param socketDir of a server on this machine: a hung postmaster is noticed although its sessions still respond */
export function createPulse(servers: Servers, socketDir: string | null): Pulse {
  let client: pg.Client | null = null;
  let probes = 0;

  function drop(): void {
    // with a statement under way this ends the connection without waiting for the server
    client?.end().catch(() => {});
    client = null;
  }

  async function query<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    if (client && !servers.isCurrent(client)) drop();
    if (!client) {
      const fresh = new pg.Client({
        connectionString: servers.url(),
        // the end of a client that connects waits for the server, which may hang
        connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
        keepAlive: true,
        application_name: 'tidemark watchdog',
      });
      servers.opened(fresh);
      client = fresh;
      fresh.on('error', () => {
        if (client === fresh) client = null;
      });
      await fresh.connect();
    }
    return (await client.query<Row>(text, [...values])).rows;
  }

  return {
    probe: async (signal) => {
      const responses: Promise<unknown>[] = [query('select')];
      if (socketDir !== null && ++probes % PROBES_PER_CONNECTION === 0) responses.push(probeNewConnection(socketDir, signal));
      signal.addEventListener('abort', drop);
      try {
        await Promise.all(responses);
      } catch (error) {
        drop();
        if (servers.areSeveral) await servers.choose();
        throw error;
      } finally {
        signal.removeEventListener('abort', drop);
      }
    },
    query,
    close: drop,
  };
}

/** Resolves when the postmaster has responded on a new connection, even if it is not ready for sessions. */
export async function probeNewConnection(socketDir: string, signal: AbortSignal): Promise<void> {
  const socket = connect(`${socketDir}/.s.PGSQL.5432`);
  try {
    socket.write(SSL_REQUEST);
    await once(socket, 'data', { signal });
  } finally {
    socket.destroy();
  }
}
