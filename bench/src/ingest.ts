// npm run bench -- ingest [--no-gate]: durable acknowledged events per second, against the same server storing nothing.
import { memoryOf, type Service, startService, webEventMaker } from '@tidemark/testkit';
import { startBaseline } from './baseline.js';
import { type LoadResult, percentile, rate, runLoad, together } from './load.js';
import { finish, report } from './report.js';
import { batchRequest, eachOnce, inTurn, singleRequest } from './requests.js';
import { untilQuiet, watchService } from './watch.js';

const SECONDS = 16;
const WARM_UP = 3;
/** Rounds that alternate between storing and only answering, so that a machine that slows down affects both. */
const TURNS = 4;
const BATCH = 20;
/** Enough clients for the writer to batch, few enough for acceptable latency. */
const BATCH_CONNECTIONS = 200;
const SINGLE_CONNECTIONS = 64;
/** Upper bounds of the rates; each prepared request is sent once. */
const BATCHES_PER_SECOND = 2_000;
const SINGLES_PER_SECOND = 6_000;
const MB = 1024 * 1024;

const service = await startService();
let met = false;
try {
  const idle = await memoryOf((await service.processes()).all);
  // runs first, so that the event engine is not busy merging the batches
  const makeSingle = webEventMaker(2);
  const singles = Array.from({ length: SINGLES_PER_SECOND * (SECONDS + WARM_UP) }, () =>
    singleRequest(service.account.projectKey, makeSingle),
  );
  const sending = { port: service.port, connections: SINGLE_CONNECTIONS, next: eachOnce(singles) };
  await runLoad({ ...sending, seconds: WARM_UP });
  const single = await measured(service, { ...sending, seconds: SECONDS });

  console.log(`Making ${(BATCHES_PER_SECOND * (SECONDS + WARM_UP)).toLocaleString('en')} batches of ${BATCH} events`);
  const makeBatched = webEventMaker(1);
  const batches = Array.from({ length: BATCHES_PER_SECOND * (SECONDS + WARM_UP) }, () =>
    batchRequest(service.account.projectKey, makeBatched, BATCH),
  );
  const baseline = await startBaseline();
  const storing = { port: service.port, connections: BATCH_CONNECTIONS, next: eachOnce(batches) };
  const answering = { port: baseline.port, connections: BATCH_CONNECTIONS, next: inTurn(batches) };
  const warmUp = await runLoad({ ...storing, seconds: WARM_UP });
  await runLoad({ ...answering, seconds: WARM_UP });
  const turns: Measured[] = [];
  const answers: LoadResult[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    turns.push(await measured(service, { ...storing, seconds: SECONDS / TURNS }));
    // merges of the event engine must not slow the baseline
    await untilQuiet(service);
    answers.push(await runLoad({ ...answering, seconds: SECONDS / TURNS }));
  }
  baseline.stop();
  const batched = allOf(turns);
  await mustHold(service, acknowledged(single.result) + (acknowledged(warmUp) + acknowledged(batched.result)) * BATCH);
  await service.stop();

  const stored = rate(batched.result) * BATCH;
  const answered = rate(together(answers)) * BATCH;
  met = report(`Ingest: gzip batches of ${BATCH} events of about 1 KB, ${SECONDS} s, load generator on the same machine`, [
    { name: 'durable acknowledged events', value: stored, unit: '/s', atLeast: 15_000 },
    { name: 'only read and answered', value: answered, unit: '/s' },
    { name: 'ratio', value: stored / answered, unit: '', atLeast: 0.25 },
    {
      name: 'processor time of all processes per stored event',
      value: (batched.cpu * 1e6) / (batched.result.latencies.length * BATCH),
      unit: 'µs',
    },
    { name: 'batch p50', value: percentile(batched.result, 0.5), unit: 'ms' },
    { name: 'batch p99', value: percentile(batched.result, 0.99), unit: 'ms' },
    { name: 'single-event requests', value: rate(single.result), unit: '/s', atLeast: 2_000 },
    { name: 'single-event p50', value: percentile(single.result, 0.5), unit: 'ms' },
    { name: 'single-event p99', value: percentile(single.result, 0.99), unit: 'ms', below: 50 },
    { name: 'longest stall of the event loop, batches', value: batched.stall, unit: 'ms', below: 50 },
    { name: 'longest stall of the event loop, single events', value: single.stall, unit: 'ms', below: 50 },
    { name: 'memory of all processes, idle', value: idle / MB, unit: 'MB', below: 700 },
    {
      name: 'memory of all processes, under load',
      value: Math.max(batched.memory, single.memory) / MB,
      unit: 'MB',
      below: 1_500,
    },
  ]);
} finally {
  await service.close();
}
finish(met);

interface Measured {
  result: LoadResult;
  /** See `watchService`. */
  stall: number;
  memory: number;
  cpu: number;
}

async function measured(target: Service, load: Parameters<typeof runLoad>[0]): Promise<Measured> {
  const watch = await watchService(target);
  const result = await runLoad(load);
  return { result, ...(await watch.end()) };
}

function allOf(turns: readonly Measured[]): Measured {
  return {
    result: together(turns.map(({ result }) => result)),
    stall: Math.max(...turns.map(({ stall }) => stall)),
    memory: Math.max(...turns.map(({ memory }) => memory)),
    cpu: turns.reduce((sum, { cpu }) => sum + cpu, 0),
  };
}

function acknowledged(result: LoadResult): number {
  return result.statuses.get(200) ?? 0;
}

/** Fails unless a query counts exactly the acknowledged events. */
async function mustHold(target: Service, events: number): Promise<void> {
  const stored = (await target.storedUuids()).length;
  if (stored < events) throw new Error(`${events} events were acknowledged and ${stored} are stored.`);
}
