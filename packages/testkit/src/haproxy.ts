import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './free-port.js';

/** HAProxy as Debian packages it. */
const HAPROXY = '/usr/sbin/haproxy';
/** Resolves from `src` and from `dist`. */
const DEPLOYED = new URL('../../../deploy/cluster/haproxy/haproxy.cfg', import.meta.url);

export const hasHaproxy = (): boolean => existsSync(HAPROXY);

/** HAProxy on 127.0.0.1, with the deployed configuration before two servers. */
export interface Haproxy {
  readonly port: number;
  readonly pid: number;
  close(): Promise<void>;
}

/** Starts HAProxy before two ports of 127.0.0.1. @throws Error when it has a fault or a warning to report about the configuration */
export async function startHaproxy([one, two]: readonly [number, number]): Promise<Haproxy> {
  const [port, directory] = [await freePort(), await mkdtemp(join(tmpdir(), 'tidemark-haproxy-'))];
  const file = join(directory, 'haproxy.cfg');
  const text = (await readFile(DEPLOYED, 'utf8'))
    .replace('bind :8000', `bind 127.0.0.1:${port}`)
    .replaceAll('tidemark-1:8000', `127.0.0.1:${one}`)
    .replaceAll('tidemark-2:8000', `127.0.0.1:${two}`);
  await writeFile(file, text);
  await promisify(execFile)(HAPROXY, ['-c', '-dW', '-f', file]);
  const child = spawn(HAPROXY, ['-db', '-f', file], { stdio: 'ignore' });
  return {
    port,
    pid: child.pid ?? 0,
    close: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
      }
      await rm(directory, { recursive: true, force: true });
    },
  };
}
