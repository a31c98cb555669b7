import { setTimeout as sleep } from 'node:timers/promises';
import type { ClickHouseServer } from './clickhouse-server.js';
import { type EventOf, startLoad } from './crash-load.js';
import { eventually } from './eventually.js';
import { isRunning, type Process, signal } from './processes.js';
import { type Random, randomFrom } from './random.js';
import type { Service } from './service.js';

/** The process under attack; `engine` is the ClickHouse server of a service that has one. */
export type Victim = 'service' | 'engine' | 'postgres';

/**
 * The attack. `kill`: SIGKILL. `hang`: SIGSTOP, which the service must detect; as the victim, the service is stopped together with both
 * stores for some seconds, like a suspended machine, and must replace neither. `-at-start`: the same while a killed service restarts;
 * with the service as the victim, a second kill.
 */
export type Attack = 'kill' | 'hang' | 'kill-at-start' | 'hang-at-start';

export interface CrashResult {
  /** Number of events whose request was answered with 200. */
  acknowledged: number;
  /** Acknowledged events that are not stored. */
  lost: string[];
  /** Events stored more than once. */
  doubled: string[];
  /** Milliseconds from each attack until the service was ready and acknowledged a new request. */
  recoveries: number[];
  /** Number of retries. */
  retries: number;
  /** The longest wait for a 503 or a timeout, milliseconds. */
  longestRefusal: number;
  /** Number of 503 responses without `Retry-After`. */
  withoutRetryAfter: number;
}

interface CrashOptions {
  victim: Victim;
  /** Default `kill`. */
  attack?: Attack;
  rounds: number;
  seed: number;
  /** The ClickHouse server of the service. Nobody restarts it but the attack. */
  server?: ClickHouseServer;
  /** The events of clients; those of a web page by default. */
  eventOf?: EventOf;
  /** Pause of each client between two batches, milliseconds; 10 by default. */
  pauseMs?: number;
  /** Called after each round. */
  onRound?: (round: number, recovery: number) => void;
  /** Runs after each round, while no client sends. */
  whileQuiet?: () => Promise<void>;
}

/** Duration of a suspension, milliseconds: longer than the limit for a hanging store. */
const SUSPENDED_MS = 16_000;
/** A killed ClickHouse server comes back within this time, milliseconds. */
const AWAY_MS = 3_000;
/** Attacks on a start come within this time, milliseconds. */
const START_MS = 2_000;

/**
 * Attacks a process at random moments under load, `rounds` times, while clients send every batch with the same uuids until it is
 * acknowledged; then compares acknowledged and stored events. A killed service is restarted; the engine and PostgreSQL
 * must recover by themselves.
 */
export async function crashRounds(service: Service, options: CrashOptions): Promise<CrashResult> {
  const { victim, attack = 'kill', rounds, seed, server, eventOf, pauseMs, onRound, whileQuiet } = options;
  const random = randomFrom(seed);
  const why = service.ended();
  if (why !== null) throw new Error(`The service does not run, since an earlier failure:\n${why}`);
  const load = startLoad(service, seed, eventOf, pauseMs);
  const recoveries: number[] = [];
  try {
    for (let round = 1; round <= rounds; round++) {
      await sleep(200 + random() * 1_000);
      const began = performance.now();
      if (server && victim === 'engine') await attackServer(service, server, attack, random);
      else if (attack === 'kill') await kill(service, victim);
      else if (attack === 'hang') await hang(service, victim, round);
      else await attackStart(service, victim, attack === 'kill-at-start' ? 'SIGKILL' : 'SIGSTOP', random);
      await whileRunning(service, () => mustBeReady(service), { within: 120_000, every: 20 });
      const ready = performance.now();
      await whileRunning(service, async () => load.mustHaveAcknowledgedSince(ready), { within: 60_000, every: 10 });
      recoveries.push(performance.now() - began);
      onRound?.(round, recoveries.at(-1) ?? 0);
      if (whileQuiet) await load.pausedFor(whileQuiet);
    }
  } catch (error) {
    load.abandon();
    throw error;
  }
  const { acknowledged, ...measured } = await load.stop();
  // acknowledged events are visible within a second
  await sleep(1_000);
  return {
    ...compareStored(acknowledged, await service.storedUuids()),
    acknowledged: acknowledged.size,
    recoveries,
    ...measured,
  };
}

/** Calls a function until it does not throw, and returns its result. @throws Error as soon as the service itself has ended */
async function whileRunning<T>(
  service: Service,
  attempt: () => Promise<T>,
  options: { within: number; every?: number },
): Promise<T> {
  const result = await eventually(async () => {
    const why = service.ended();
    return why === null ? { value: await attempt() } : { why };
  }, options);
  if ('why' in result) throw new Error(result.why);
  return result.value;
}

/** Waits until all processes run; a restarting one has no pid. */
const allOf = (service: Service) => whileRunning(service, () => service.processes(), { within: 60_000 });

async function kill(service: Service, victim: Victim): Promise<void> {
  const processes = await allOf(service);
  if (victim === 'service') {
    await service.kill9();
    await service.restart();
    return;
  }
  process.kill(processes[victim], 'SIGKILL');
  await replaced(service, victim, processes[victim]);
}

async function hang(service: Service, victim: Victim, round: number): Promise<void> {
  const processes = await allOf(service);
  if (victim === 'service') return suspend(service);
  const stopped = [processes[victim]];
  // alternates: the postmaster alone, or with its sessions
  if (victim === 'postgres' && round % 2 === 1) stopped.push(...sessionsOf(processes.all, processes.postgres));
  for (const pid of stopped) signal(pid, 'SIGSTOP');
  await replaced(service, victim, processes[victim]);
}

/** Kills or stops the ClickHouse server for a while, also while a killed service restarts. */
async function attackServer(service: Service, server: ClickHouseServer, attack: Attack, random: Random): Promise<void> {
  const isAtStart = attack.endsWith('-at-start');
  if (isAtStart) await service.kill9();
  const restarting = isAtStart ? service.restart().catch((error: unknown) => error) : null;
  if (isAtStart) await sleep(random() * START_MS);
  if (attack.startsWith('kill')) {
    await server.kill9();
    await sleep(random() * AWAY_MS);
    await server.restart();
  } else {
    const { pid } = server;
    signal(pid, 'SIGSTOP');
    await sleep(SUSPENDED_MS);
    signal(pid, 'SIGCONT');
  }
  const failure = await restarting;
  if (failure instanceof Error) throw failure;
}

/** Suspends all processes for a while; afterwards none may be treated as hung. */
async function suspend(service: Service): Promise<void> {
  const before = await allOf(service);
  for (const { pid } of before.all) signal(pid, 'SIGSTOP');
  await sleep(SUSPENDED_MS);
  for (const { pid } of before.all) signal(pid, 'SIGCONT');
  await whileRunning(service, () => mustBeReady(service), { within: 60_000 });
  await sleep(1_000);
  const after = await allOf(service);
  for (const name of ['engine', 'postgres'] as const) {
    if (after[name] !== before[name]) throw new Error(`${name} was replaced although the whole service had been suspended.`);
  }
}

/** Kills the service and attacks a process at a random moment of the next start. */
async function attackStart(service: Service, victim: Victim, how: 'SIGKILL' | 'SIGSTOP', random: Random): Promise<void> {
  await allOf(service);
  await service.kill9();
  const restarting = service.restart().catch((error: unknown) => error);
  await sleep(random() * START_MS);
  if (victim === 'service') {
    await service.kill9();
    await restarting;
    await service.restart();
    return;
  }
  const attacked = await whileRunning(service, async () => victimsOf(await service.tree(), victim), { within: 60_000, every: 5 });
  for (const { pid } of attacked) signal(pid, how);
  const failure = await restarting;
  if (failure instanceof Error) throw failure;
  // a store that was ready when stopped is replaced only later
  const mustBeGone = async () => {
    // a look at all processes takes long
    if ((await Promise.all(attacked.map(({ pid }) => isRunning(pid)))).every(Boolean)) throw new Error('All are still there.');
    const left = (await service.tree()).find(({ pid }) => attacked.some((other) => other.pid === pid));
    if (left) throw new Error(`Process ${left.pid} was attacked and is still there.`);
  };
  await whileRunning(service, mustBeGone, { within: 120_000, every: 20 });
}

function victimsOf(all: readonly Process[], victim: Victim): Process[] {
  // a start also runs `postgres --version`, which is no server
  const isServer = (command: string) => command !== '' && !command.endsWith('--version');
  const found = all.filter(({ name, command }) =>
    victim === 'postgres' ? name === 'postgres' && isServer(command) : command.includes('engine-process'),
  );
  if (found.length === 0) throw new Error(`There is no ${victim} yet.`);
  return found;
}

async function replaced(service: Service, victim: Victim, pid: number): Promise<void> {
  await whileRunning(
    service,
    async () => {
      // a look at all processes takes long
      if (await isRunning(pid)) throw new Error(`Process ${pid} was attacked and is still there.`);
      if ((await service.processes())[victim] === pid) throw new Error(`Process ${pid} was attacked and is still there.`);
    },
    { within: 120_000, every: 20 },
  );
}

function sessionsOf(all: readonly Process[], postmaster: number): number[] {
  return all.filter(({ parent }) => parent === postmaster).map(({ pid }) => pid);
}

async function mustBeReady(service: Service): Promise<void> {
  const response = await fetch(`${service.url}/_ready`);
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`/_ready answers ${response.status}\n${service.output()}`);
}

/** Which acknowledged events are not stored, and which events are stored more than once. */
export function compareStored(
  acknowledged: ReadonlySet<string>,
  stored: readonly string[],
): { lost: string[]; doubled: string[] } {
  const seen = new Set<string>();
  const doubled: string[] = [];
  for (const uuid of stored) {
    if (seen.has(uuid)) doubled.push(uuid);
    seen.add(uuid);
  }
  return { lost: [...acknowledged].filter((uuid) => !seen.has(uuid)), doubled };
}
