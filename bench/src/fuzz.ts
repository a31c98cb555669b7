// npm run bench -- fuzz [REQUESTS] [--seconds N] [--seed N] [--connections N]: requests of every kind, whole and broken, to a service that
// this starts on the loopback interface. No answer may be a fault, no stall longer than a second, and memory may not grow.
import { Agent } from 'node:http';
import { parseArgs } from 'node:util';
import { memoryOf, randomFrom, type Service, startService, webEventMaker } from '@tidemark/testkit';
import { captureRequests } from './fuzz/capture.js';
import { apiRequests, type FuzzRequest, knownIds } from './fuzz/operations.js';
import { send } from './fuzz/send.js';
import { tally } from './fuzz/tally.js';
import { finish, report } from './report.js';
import { watchService } from './watch.js';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  strict: false,
  options: { seconds: { type: 'string' }, seed: { type: 'string' }, connections: { type: 'string' } },
});
const numberOf = (text: unknown, otherwise: number): number =>
  typeof text === 'string' && /^\d+$/.test(text) ? Number(text) : otherwise;
const REQUESTS = numberOf(positionals[0], 1_000_000);
const SECONDS = numberOf(options['seconds'], 3 * 3_600);
const SEED = numberOf(options['seed'], Math.floor(Math.random() * 1e9));
const CONNECTIONS = numberOf(options['connections'], 8);
/** Shares of the run after which memory is measured. */
const MEASURED = 10;
/** The part of the run in which caches fill and code is compiled, which is no leak. */
const WARM_UP = 3;

const service = await startService();
let met = false;
try {
  met = await fuzz(service);
} finally {
  await service.close();
}
finish(met);

async function fuzz(service: Service): Promise<boolean> {
  console.log(
    `Seed ${SEED}: ${REQUESTS.toLocaleString('en')} requests, at most ${SECONDS} s, ${CONNECTIONS} connections, to ${service.url}`,
  );
  const ids = knownIds();
  const ofApi = await apiRequests(service.account.personalKey, ids);
  const ofClients = captureRequests(service.account.projectKey, webEventMaker(SEED));
  const make = (number: number): FuzzRequest => {
    // each request has randomness of its own, so that it does not hang on the order of answers
    const random = randomFrom(SEED + number * 7_919);
    return random() < 0.5 ? ofApi(random) : ofClients(random);
  };
  const counts = tally();
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const watch = await watchService(service);
  const begun = performance.now();
  const elapsed = () => (performance.now() - begun) / 1000;
  const memory: number[] = [];
  let [next, done, measured] = [0, 0, 0];

  const connection = async () => {
    while (next < REQUESTS && elapsed() < SECONDS) {
      const request = make(next++);
      const { outcome, answer, took } = await send(agent, service.port, request);
      counts.note(request, outcome, took, answer);
      if (typeof outcome === 'number' && outcome < 300) ids.note(request.group, answer);
      done++;
      // by count or by time, whichever ends the run
      const share = Math.max(done / REQUESTS, elapsed() / SECONDS);
      if (share < (measured + 1) / MEASURED) continue;
      measured++;
      memory.push(await memoryNow(service, done, elapsed()));
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  const seconds = elapsed();
  const isAlive = await service.processes().then(
    () => 1,
    () => 0,
  );
  const { stall } = isAlive ? await watch.end() : { stall: Number.POSITIVE_INFINITY };
  agent.destroy();
  counts.print();
  const [early = 0, late = 0] = [memory[WARM_UP - 1], memory.at(-1)];
  return report(`${done.toLocaleString('en')} requests in ${seconds.toFixed(0)} s, seed ${SEED}`, [
    { name: 'the service runs at the end', value: isAlive, unit: '', atLeast: 1 },
    { name: 'faults (500, 502, 504, connections cut)', value: counts.faults(), unit: '', below: 1 },
    { name: 'longest stall of the event loop', value: stall, unit: 'ms', below: 1_000 },
    { name: `memory of the service after ${WARM_UP * MEASURED} %`, value: early / 2 ** 20, unit: 'MiB' },
    { name: 'and at the end', value: late / 2 ** 20, unit: 'MiB', below: (early / 2 ** 20) * 1.3 + 64 },
  ]);
}

/** Bytes of the service's own process; its stores have limits of their own. */
async function memoryNow(service: Service, done: number, seconds: number): Promise<number> {
  const processes = await service.processes().catch(() => null);
  if (!processes) return Number.POSITIVE_INFINITY;
  const memory = await memoryOf(processes.all.filter(({ pid }) => pid === processes.service));
  const others = await memoryOf(processes.all.filter(({ pid }) => pid !== processes.service));
  const mib = (bytes: number) => (bytes / 2 ** 20).toFixed(0);
  console.log(
    `  ${done.toLocaleString('en').padStart(9)} requests, ${seconds.toFixed(0).padStart(5)} s: service ${mib(memory)} MiB, its stores ${mib(others)} MiB`,
  );
  return memory;
}
