import { setTimeout as sleep } from 'node:timers/promises';
import { cpuOf, memoryOf, type Service } from '@tidemark/testkit';

/** The interval of the lag metric's probe, which its values include, milliseconds. */
const PROBE_INTERVAL = 10;

/** Sampling interval of stalls, milliseconds. */
const STALL_INTERVAL = 1_000;

/** Samples a service under load, once a second. */
export async function watchService(service: Service) {
  const { all } = await service.processes();
  let running = true;
  let stall = 0;
  let memory = 0;
  // reading the metric resets it
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
    /** The longest stall in milliseconds, peak memory in bytes, and CPU time in seconds. */
    async end(): Promise<{ stall: number; memory: number; cpu: number }> {
      const cpu = (await cpuOf(all)) - cpuBefore;
      running = false;
      await watching;
      return { stall, memory, cpu };
    },
  };
}

/** The worst stall of a sampling interval; `from` and `to` by `performance.now()`. */
export interface Stall {
  /** Wall-clock milliseconds, which include the time of other processes. */
  clock: number;
  /** CPU milliseconds of the longest turn of the event loop. */
  turn: number;
  from: number;
  to: number;
}

/** Samples the stalls of a service started with `probesLoop`, and passes each to `note`, until `end` is called. */
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
  // `end` reports the error
  watching.catch(() => null);
  return {
    /** @throws Error when the service ended meanwhile */
    async end(): Promise<void> {
      ending.abort();
      await watching;
    },
  };
}

/** CPU share below which a service counts as idle, and for how long, milliseconds. */
const IDLE_SHARE = 0.05;
const IDLE_FOR = 500;
const PATIENCE = 20_000;

/** Waits until the service has finished its background work. */
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

/** The longest stall since the last call, milliseconds. */
export async function longestStall(service: Service): Promise<number> {
  const response = await fetch(`${service.url}/metrics`);
  const seconds = /^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(await response.text())?.[1];
  if (seconds === undefined) throw new Error('/metrics does not tell the lag of the event loop.');
  return Math.max(0, Number(seconds) * 1000 - PROBE_INTERVAL);
}
