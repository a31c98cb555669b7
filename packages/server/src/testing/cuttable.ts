import { connect, createServer, type Server, type Socket } from 'node:net';
import pg from 'pg';

/** A way to a database that tests can cut. */
export interface Cuttable {
  url: string;
  /** Ends all connections and refuses new ones, as a database does that was stopped. */
  cut(): Promise<void>;
  /** Holds everything up in either direction, as a network does that lost its way. */
  stall(): void;
  /** Ends that: what was held up arrives. */
  mend(): Promise<void>;
  close(): Promise<void>;
}

/** Opens a way to the PostgreSQL database of an address. */
export async function cuttable(target: string): Promise<Cuttable> {
  const { host, port } = new pg.Client(target);
  const sockets = new Set<Socket>();
  let stalled = false;
  let server = await open(0);
  const ownPort = portOf(server);

  function open(onPort: number): Promise<Server> {
    const opened = createServer((near) => {
      const far = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        sockets.add(from);
        from.on('data', (chunk) => to.write(chunk));
        if (stalled) from.pause();
        from.on('error', () => {});
        from.on('close', () => {
          sockets.delete(from);
          to.destroy();
        });
      }
    });
    return new Promise((resolve) => opened.listen(onPort, '127.0.0.1', () => resolve(opened)));
  }

  async function cut(): Promise<void> {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  }

  const url = new URL(target);
  url.host = `127.0.0.1:${ownPort}`;
  url.searchParams.delete('host');
  return {
    url: url.href,
    cut,
    stall: () => {
      stalled = true;
      for (const socket of sockets) socket.pause();
    },
    mend: async () => {
      stalled = false;
      for (const socket of sockets) socket.resume();
      if (!server.listening) server = await open(ownPort);
    },
    close: async () => {
      if (server.listening) await cut();
    },
  };
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}
