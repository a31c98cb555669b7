import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** A way to a server that counts what passes. */
export interface CountedWay {
  port: number;
  /** Bytes that have passed so far, both directions together. */
  bytes(): number;
  close(): void;
}

/** Opens a port of 127.0.0.1 that leads to another one. */
export async function countBytes(target: number): Promise<CountedWay> {
  let bytes = 0;
  const server = createServer({ noDelay: true }, (from) => {
    const to = connect({ host: '127.0.0.1', port: target, noDelay: true });
    for (const [near, far] of [
      [from, to],
      [to, from],
    ] as const) {
      near.on('data', (chunk) => {
        bytes += chunk.length;
      });
      near.pipe(far);
      near.on('error', () => far.destroy()).on('close', () => far.destroy());
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    bytes: () => bytes,
    close: () => server.close(),
  };
}
