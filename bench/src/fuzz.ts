// npm run bench -- fuzz [REQUESTS] [--seconds N] [--seed N] [--connections N]: requests of every kind, whole and broken, to a service that
// this starts on the loopback interface. No answer may be a fault, no stall longer than a second, and memory may not grow.
// SIGINT and SIGTERM end the run early, with its figures.
import { Agent } from 'node:http';
import { parseArgs } from 'node:util';
import { cpuOf, randomFrom, type Service, type ServiceProcesses, startService, webEventMaker } from '@tidemark/testkit';
import { signUpCallers } from './fuzz/callers.js';
import { captureRequests } from './fuzz/capture.js';
import { knownIds } from './fuzz/known-ids.js';
import { memoryWatch } from './fuzz/memory.js';
import { apiRequests, type FuzzRequest } from './fuzz/operations.js';
import { pageRequests } from './fuzz/pages.js';
import { send } from './fuzz/send.js';
import { createStalls } from './fuzz/stalls.js';
import { tally } from './fuzz/tally.js';
import { finish, report } from './report.js';
import { watchStalls } from './watch.js';

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
const CONNECTIONS = numberOf(options['connections'], 16);
/** Number of memory samples. */
const SAMPLES = 50;
/** Requests between two prints of the answers so far. */
const REQUESTS_PER_TALLY = 50_000;
/** Shares of requests to the API and to the paths of client libraries; the rest are to public pages and files. */
const MIX = { api: 0.35, clients: 0.6 };
/** Processes whose processor time is printed. */
const PROCESS_NAMES = { service: 'service', engine: 'event engine', postgres: 'PostgreSQL' };
/** Tolerated growth of memory, as a share of its mean. */
const FLAT = 0.1;

const service = await startService({ probesLoop: true, env: { TIDEMARK_OPEN_SIGNUP: 'on' } });
let met = false;
/** Whether a signal has ended the run early. */
let interrupted = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    console.log(`${signal}: the run ends early.`);
    interrupted = true;
  });
}
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
  const { projectKey } = service.account;
  const ids = knownIds();
  const ofApi = await apiRequests(await signUpCallers(service), ids);
  const ofClients = captureRequests(projectKey, webEventMaker(SEED));
  const ofVisitors = pageRequests(projectKey, ids);
  const make = (number: number): FuzzRequest => {
    // each request has its own seed, so that it does not depend on the order of responses
    const random = randomFrom(SEED + number * 7_919);
    const kind = random();
    if (kind < MIX.api) return ofApi(random);
    return kind < MIX.api + MIX.clients ? ofClients(random) : ofVisitors(random);
  };
  const counts = tally();
  const stalls = createStalls();
  const memory = memoryWatch(service);
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const processes = await service.processes();
  const cpuBefore = await cpuByProcess(processes);
  const watch = await watchStalls(service, stalls.note);
  const begun = performance.now();
  const elapsed = () => (performance.now() - begun) / 1000;
  let [next, done, sampled, leaks, restarts] = [0, 0, 0, 0, 0];
  let ended: unknown;

  const connection = async () => {
    while (next < REQUESTS && elapsed() < SECONDS && ended === undefined && !interrupted) {
      const request = make(next++);
      const from = performance.now();
      const { outcome, answer } = await send(agent, service.port, request);
      const took = performance.now() - from;
      counts.note(request, outcome, took, answer);
      stalls.noteRequest(request, from, took);
      if (typeof outcome === 'number' && outcome < 300) for (const group of request.collections) ids.note(group, answer);
      if (request.isForeign && request.collections.length > 0 && answer.includes(projectKey)) {
        leaks++;
        console.log(`  shown to somebody else: ${request.operation}`);
      }
      done++;
      if (done % REQUESTS_PER_TALLY === 0) counts.print();
      // progress by count or by time, whichever ends the run first
      const share = Math.max(done / REQUESTS, elapsed() / SECONDS);
      if (share < (sampled + 1) / SAMPLES) continue;
      sampled++;
      if (await memory.sample(done, elapsed())) continue;
      // a store is restarting, or the service has ended
      restarts++;
      await service.longestTurn().catch((error) => {
        ended ??= error;
      });
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  const seconds = elapsed();
  const cpu = await cpuByProcess(processes);
  await watch.end().catch((error) => {
    ended ??= error;
  });
  agent.destroy();
  counts.print();
  stalls.print();
  if (ended !== undefined) console.log(`\n${ended}\n${service.output()}`);
  const [live, own, all] = [memory.live(), memory.service(), memory.all()];
  const mib = (bytes: number) => bytes / 2 ** 20;
  return report(`${done.toLocaleString('en')} requests in ${seconds.toFixed(0)} s, seed ${SEED}`, [
    { name: 'requests a second', value: done / seconds, unit: '' },
    ...(['service', 'engine', 'postgres'] as const).map((name) => ({
      name: `processor time of the ${PROCESS_NAMES[name]}`,
      value: (cpu[name] - cpuBefore[name]) / seconds,
      unit: 's each second',
    })),
    { name: 'processor time of the fuzzer itself', value: process.cpuUsage().user / 1e6 / seconds, unit: 's each second' },
    { name: 'the service runs at the end', value: ended === undefined ? 1 : 0, unit: '', atLeast: 1 },
    { name: 'faults (500, 502, 504, connections cut, no answer)', value: counts.faults(), unit: '', below: 1 },
    { name: 'samples in which a store was being started again', value: restarts, unit: '' },
    { name: 'answers that show the key of a project to others', value: leaks, unit: '', below: 1 },
    { name: 'longest stall of the event loop, processor time', value: stalls.longest().turn, unit: 'ms', below: 1_000 },
    { name: 'by the clock, other programs included', value: stalls.longest().clock, unit: 'ms' },
    { name: 'memory in use after a collection, without caches, mean', value: mib(live.mean), unit: 'MiB' },
    { name: 'its growth', value: mib(live.growth), unit: 'MiB', below: mib(live.mean) * FLAT },
    { name: 'memory of the service, mean', value: mib(own.mean), unit: 'MiB' },
    { name: 'its growth in the second half of the run', value: mib(own.growth), unit: 'MiB', below: mib(own.mean) * FLAT },
    { name: 'memory of the service and its stores, mean', value: mib(all.mean), unit: 'MiB' },
    { name: 'its growth', value: mib(all.growth), unit: 'MiB', below: mib(all.mean) * FLAT },
  ]);
}

/** Seconds of processor time of the service's process, of the engine's, and of all others. */
async function cpuByProcess({ service, engine, all }: ServiceProcesses): Promise<Record<keyof typeof PROCESS_NAMES, number>> {
  const of = (isMeant: (pid: number) => boolean) => cpuOf(all.filter(({ pid }) => isMeant(pid)));
  return {
    service: await of((pid) => pid === service),
    engine: await of((pid) => pid === engine),
    postgres: await of((pid) => pid !== service && pid !== engine),
  };
}
