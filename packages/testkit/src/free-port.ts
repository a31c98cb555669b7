import { createServer } from 'node:net';

/**
 * Ports above 10080, which browsers refuse, and below those that systems choose for outgoing connections (32768 and above on Linux): a
 * server that is stopped and started again finds its port free.
 */
const FIRST = 11_000;
const LAST = 32_767;
/** Attempts to find a port that no program uses. */
const ATTEMPTS = 100;

/** Finds a port of 127.0.0.1 that is free at the moment. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    // by chance, so that test files that run side by side hardly ever choose the same one
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST + 1));
    if (await isFree(port)) return port;
  }
  throw new Error('No port of 127.0.0.1 is free.');
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
