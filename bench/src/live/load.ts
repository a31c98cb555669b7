import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Service } from '@tidemark/testkit';

const SENDER = fileURLToPath(new URL('./sender.ts', import.meta.url));

/** What a sender saw. */
export interface Load {
  /** Milliseconds until events were acknowledged. */
  p99: number;
  /** Events stored a second. */
  rate: number;
}

/** Sends events at a constant rate, from a process of its own: what else the bench does must not count as time that the service takes. */
export async function liveLoad({ url, account }: Service, seconds: number): Promise<Load> {
  const sender = spawn(process.execPath, [...process.execArgv, SENDER, url, account.projectKey, String(seconds)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output, [code]] = await Promise.all([text(sender.stdout), once(sender, 'exit')]);
  if (code !== 0) throw new Error(`The process that sends events ended with ${code}.`);
  return JSON.parse(output) as Load;
}
