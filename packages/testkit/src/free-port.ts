import { createServer } from 'node:net';

/**
 * Ports above 10080, which browsers refuse, and below those that systems choose for outgoing connections (32768 and above on Linux): a
 * server that is stopped and started again finds its port free.
 */
const FIRST = 11_000;
const LAST = 32_767;
/** Attempts to find a port that no program uses. */
const ATTEMPTS = 100;

/** Finds a port that is free at the moment, on each of the hosts. */
export async function freePort(hosts: readonly string[] = ['127.0.0.1']): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    // by chance, so that test files that run side by side hardly ever choose the same one
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST + 1));
    const free = await Promise.all(hosts.map((host) => isFree(port, host)));
    if (free.every(Boolean)) return port;
  }
  throw new Error(`No port of ${hosts.join(' and ')} is free.`);
}

function isFree(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, host, () => server.close(() => resolve(true)));
  });
}
