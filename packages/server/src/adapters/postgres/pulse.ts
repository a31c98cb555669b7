import { once } from 'node:events';
import { connect } from 'node:net';
import pg from 'pg';

/** Asks a server for signs of life on a connection of its own, apart from the pool. */
export interface Pulse {
  /** Resolves when the server has answered. */
  probe(signal: AbortSignal): Promise<void>;
  close(): void;
}

/** Probes between two that also ask for a new connection: each of those costs the server a process. */
const KNOCK_EVERY = 3;
/** PostgreSQL's SSLRequest, which a server answers with one byte before anybody has logged in. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** @param socketDir of a server on this machine: a hung postmaster is noticed although its sessions still answer */
export function createPulse(url: string, socketDir: string | null): Pulse {
  let client: pg.Client | null = null;
  let probes = 0;

  function drop(): void {
    // with a statement under way this ends the connection without waiting for the server
    client?.end().catch(() => {});
    client = null;
  }

  async function ask(): Promise<void> {
    if (!client) {
      const fresh = new pg.Client({ connectionString: url, keepAlive: true, application_name: 'tidemark watchdog' });
      client = fresh;
      fresh.on('error', () => {
        if (client === fresh) client = null;
      });
      await fresh.connect();
    }
    await client.query('select');
  }

  return {
    probe: async (signal) => {
      const asked = [ask()];
      if (socketDir !== null && ++probes % KNOCK_EVERY === 0) asked.push(knock(socketDir, signal));
      signal.addEventListener('abort', drop);
      try {
        await Promise.all(asked);
      } catch (error) {
        drop();
        throw error;
      } finally {
        signal.removeEventListener('abort', drop);
      }
    },
    close: drop,
  };
}

/** Resolves when the postmaster has answered on a new connection, be it that it is not ready for anybody. */
export async function knock(socketDir: string, signal: AbortSignal): Promise<void> {
  const socket = connect(`${socketDir}/.s.PGSQL.5432`);
  try {
    socket.write(SSL_REQUEST);
    await once(socket, 'data', { signal });
  } finally {
    socket.destroy();
  }
}
