// npm run bench -- ingest [--no-gate]: durable acknowledged events per second, against the same server storing nothing.
import { memoryOf, type Service, startService, webEventMaker } from '@tidemark/testkit';
import { startBaseline } from './baseline.js';
import { type LoadResult, percentile, rate, runLoad } from './load.js';
import { finish, report } from './report.js';
import { batchRequest, eachOnce, inTurn, singleRequest } from './requests.js';
import { watchService } from './watch.js';

const SECONDS = 15;
const WARM_UP = 3;
const BATCH = 20;
/** Enough clients for the writer to group, few enough for the delays that users would accept. */
const BATCH_CONNECTIONS = 200;
const SINGLE_CONNECTIONS = 64;
/** More than is hoped for, because each request is sent once. */
const BATCHES_PER_SECOND = 2_000;
const SINGLES_PER_SECOND = 6_000;
const MB = 1024 * 1024;

const service = await startService();
let met = false;
try {
  const idle = await memoryOf((await service.processes()).all);
  // first, so that the event engine is not still busy with the many events of the batches
  const makeSingle = webEventMaker(2);
  const singles = Array.from({ length: SINGLES_PER_SECOND * (SECONDS + WARM_UP) }, () =>
    singleRequest(service.account.projectKey, makeSingle),
  );
  const single = await measured(service, { connections: SINGLE_CONNECTIONS, next: eachOnce(singles) });

  console.log(`Making ${(BATCHES_PER_SECOND * (SECONDS + WARM_UP)).toLocaleString('en')} batches of ${BATCH} events`);
  const makeBatched = webEventMaker(1);
  const batches = Array.from({ length: BATCHES_PER_SECOND * (SECONDS + WARM_UP) }, () =>
    batchRequest(service.account.projectKey, makeBatched, BATCH),
  );
  const batched = await measured(service, { connections: BATCH_CONNECTIONS, next: eachOnce(batches) });
  await mustHold(service, acknowledged(single.result) + acknowledged(batched.result) * BATCH);
  await service.stop();

  const baseline = await startBaseline();
  const load = { port: baseline.port, connections: BATCH_CONNECTIONS, next: inTurn(batches) };
  await runLoad({ ...load, seconds: WARM_UP });
  const answered = rate(await runLoad({ ...load, seconds: SECONDS })) * BATCH;
  baseline.stop();

  const stored = rate(batched.result) * BATCH;
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

async function measured(target: Service, load: { connections: number; next: () => Buffer | null }) {
  await runLoad({ port: target.port, seconds: WARM_UP, ...load });
  const watch = await watchService(target);
  const result = await runLoad({ port: target.port, seconds: SECONDS, ...load });
  return { result, ...(await watch.end()) };
}

function acknowledged(result: LoadResult): number {
  return result.statuses.get(200) ?? 0;
}

/** What was acknowledged must be what a query counts, or the figures mean nothing. */
async function mustHold(target: Service, events: number): Promise<void> {
  const stored = (await target.storedUuids()).length;
  if (stored < events) throw new Error(`${events} events were acknowledged and ${stored} are stored.`);
}
