import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from './eventually.js';
import { randomFrom } from './random.js';
import { webEventMaker } from './sent-events.js';
import type { Service } from './service.js';

/** Which process is killed. */
export type Victim = 'service' | 'engine' | 'postgres';

export interface CrashResult {
  /** Events whose request was answered with 200. */
  acknowledged: number;
  /** Acknowledged and not there. */
  lost: string[];
  /** There more than once. */
  doubled: string[];
  /** Milliseconds from each kill to the next acknowledged request that was made after it. */
  recoveries: number[];
  /** Requests that had to be sent again. */
  retries: number;
}

interface CrashOptions {
  victim: Victim;
  rounds: number;
  seed: number;
  /** Told after each round. */
  onRound?: (round: number, recovery: number) => void;
}

const SENDERS = 4;
const BATCH = 20;

/**
 * Kills a process (-9) at random moments under load, `rounds` times, while clients send every batch with the same uuids
 * until it is acknowledged; then compares what was acknowledged with what is stored. A killed service is started again;
 * the engine and PostgreSQL must come back by themselves.
 */
export async function crashRounds(service: Service, { victim, rounds, seed, onRound }: CrashOptions): Promise<CrashResult> {
  const random = randomFrom(seed);
  const load = startLoad(service, seed);
  const recoveries: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    await sleep(200 + random() * 1_000);
    // a process that is just starting again has no number yet
    const processes = await eventually(() => service.processes(), { within: 30_000 });
    const killed = performance.now();
    if (victim === 'service') {
      await service.kill9();
      await service.restart();
    } else process.kill(processes[victim], 'SIGKILL');
    await eventually(async () => load.mustHaveAcknowledgedSince(killed), { within: 60_000, every: 10 });
    const recovery = performance.now() - killed;
    await eventually(async () => mustBeAnother((await service.processes())[victim], processes[victim]), { within: 30_000 });
    recoveries.push(recovery);
    onRound?.(round, recovery);
  }
  const { acknowledged, retries } = await load.stop();
  // what is acknowledged is visible within a second
  await sleep(1_000);
  return { ...compare(acknowledged, await service.storedUuids()), acknowledged: acknowledged.size, recoveries, retries };
}

function mustBeAnother(pid: number, killed: number): void {
  if (pid === killed) throw new Error(`Process ${pid} was killed and is still there.`);
}

function startLoad(service: Service, seed: number) {
  const acknowledged = new Set<string>();
  let retries = 0;
  let stopping = false;
  /** When the youngest request that was acknowledged had been made. */
  let latest = 0;

  async function sender(number: number): Promise<void> {
    const make = webEventMaker(seed * SENDERS + number, 50);
    while (!stopping) {
      const batch = Array.from({ length: BATCH }, () => make());
      const body = JSON.stringify({ api_key: service.account.projectKey, batch });
      for (;;) {
        const made = performance.now();
        if (await sendOnce(service.url, body)) {
          for (const event of batch) acknowledged.add(event.uuid);
          latest = Math.max(latest, made);
          break;
        }
        retries++;
        await sleep(50);
      }
      await sleep(10);
    }
  }

  const senders = Array.from({ length: SENDERS }, (_, number) => sender(number));
  return {
    mustHaveAcknowledgedSince(time: number): void {
      if (latest < time) throw new Error(`No request made since the kill was acknowledged.\n${service.output()}`);
    },
    async stop() {
      stopping = true;
      await Promise.all(senders);
      return { acknowledged, retries };
    },
  };
}

/** Whether the batch was acknowledged. @throws Error when the service refuses it for good */
async function sendOnce(url: string, body: string): Promise<boolean> {
  const options = { method: 'POST', headers: { 'content-type': 'application/json' }, body, signal: AbortSignal.timeout(30_000) };
  const response = await fetch(`${url}/batch/`, options).catch(() => null);
  const text = await response?.text().catch(() => null);
  if (!response || text === null) return false;
  if (response.status !== 200 && response.status < 500)
    throw new Error(`A good batch was refused with ${response.status}: ${text}`);
  return response.status === 200;
}

function compare(acknowledged: ReadonlySet<string>, stored: readonly string[]): { lost: string[]; doubled: string[] } {
  const seen = new Set<string>();
  const doubled: string[] = [];
  for (const uuid of stored) {
    if (seen.has(uuid)) doubled.push(uuid);
    seen.add(uuid);
  }
  return { lost: [...acknowledged].filter((uuid) => !seen.has(uuid)), doubled };
}
