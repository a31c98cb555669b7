import { setTimeout as sleep } from 'node:timers/promises';
import { cpuOf, memoryOf, type Service } from '@tidemark/testkit';

/** What the service's metrics measure besides a stall: the interval of the probe itself, milliseconds. */
const PROBE_INTERVAL = 10;

/** Milliseconds between two looks at the stalls of a service. */
const STALL_INTERVAL = 1_000;

/** Watches a service under load, once a second. */
export async function watchService(service: Service) {
  const { all } = await service.processes();
  let running = true;
  let stall = 0;
  let memory = 0;
  // the metric starts anew each time it is read
  await longestStall(service);
  const cpuBefore = await cpuOf(all);
  const watching = (async () => {
    while (running) {
      await sleep(1_000);
      stall = Math.max(stall, await longestStall(service));
      memory = Math.max(memory, await memoryOf(all));
    }
  })();
  return {
    /** Milliseconds of the longest stall, the most bytes of memory seen, and seconds of processor time used. */
    async end(): Promise<{ stall: number; memory: number; cpu: number }> {
      const cpu = (await cpuOf(all)) - cpuBefore;
      running = false;
      await watching;
      return { stall, memory, cpu };
    },
  };
}

/** A stall, and when it was, on the clock of `performance.now()`. */
export interface Stall {
  /** Milliseconds by the clock, in which other processes may have had the processors. */
  clock: number;
  /** Milliseconds of processor time of the longest turn of the event loop. */
  turn: number;
  from: number;
  to: number;
}

/** Reads stalls of a service that `probesLoop` until it is ended, and tells `note` each. */
export async function watchStalls(service: Service, note: (stall: Stall) => void) {
  const ending = new AbortController();
  let from = performance.now();
  await longestStall(service);
  await service.longestTurn();
  const watching = (async () => {
    while (!ending.signal.aborted) {
      await sleep(STALL_INTERVAL, null, { signal: ending.signal }).catch(() => null);
      const [clock, turn] = await Promise.all([longestStall(service), service.longestTurn()]);
      const to = performance.now();
      note({ clock, turn, from, to });
      from = to;
    }
  })();
  // told by `end`
  watching.catch(() => null);
  return {
    /** @throws Error when the service ended meanwhile */
    async end(): Promise<void> {
      ending.abort();
      await watching;
    },
  };
}

/** Share of a processor under which a service counts as idle, and how long it must be; milliseconds. */
const IDLE_SHARE = 0.05;
const IDLE_FOR = 500;
const PATIENCE = 20_000;

/** Waits until the service has done what it had put off. */
export async function untilQuiet(service: Service): Promise<void> {
  const { all } = await service.processes();
  const deadline = performance.now() + PATIENCE;
  for (let before = await cpuOf(all); performance.now() < deadline; ) {
    await sleep(IDLE_FOR);
    const now = await cpuOf(all);
    if ((now - before) * 1000 < IDLE_SHARE * IDLE_FOR) return;
    before = now;
  }
}

/** Milliseconds of the longest stall since the last time that this was read. */
export async function longestStall(service: Service): Promise<number> {
  const response = await fetch(`${service.url}/metrics`);
  const seconds = /^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(await response.text())?.[1];
  if (seconds === undefined) throw new Error('/metrics does not tell the lag of the event loop.');
  return Math.max(0, Number(seconds) * 1000 - PROBE_INTERVAL);
}
