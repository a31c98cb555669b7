import { setTimeout as sleep } from 'node:timers/promises';
import { cpuOf, memoryOf, type Service } from '@tidemark/testkit';

/** What the service's metrics measure besides a stall: the interval of the probe itself, milliseconds. */
const PROBE_INTERVAL = 10;

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
