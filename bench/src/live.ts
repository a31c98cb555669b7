// npm run bench -- live [--events 2M] [--seconds 60] [--data DIR] [--no-gate]: a dashboard of ten tiles that five people look at every two seconds while
// 500 events a second arrive, 20 % of them up to three days late and 2 % merging people.
import { parseArgs } from 'node:util';
import { cpuOf, memoryOf, type Service, startService } from '@tidemark/testkit';
import { eventsIn, seededData } from './data.js';
import { liveLoad } from './live/load.js';
import { TILES } from './live/tiles.js';
import { type Visit, viewers } from './live/viewers.js';
import { type Figure, finish, report } from './report.js';

const VIEWERS = 5;
const LOOK_EVERY_MS = 2_000;
/** Default staleness of the service, seconds. */
const STALENESS = 10;
/** Events by which budgets differ, and the p95 of the whole dashboard, milliseconds. */
const BUDGETS: readonly [events: number, p95: number][] = [
  [2_000_000, 100],
  [10_000_000, 150],
  [100_000_000, 300],
];

const { values: options } = parseArgs({
  options: {
    events: { type: 'string', default: '2M' },
    seconds: { type: 'string', default: '60' },
    data: { type: 'string' },
    'no-gate': { type: 'boolean' },
  },
});
const events = eventsIn(options.events);
const seconds = Number(options.seconds);

const { dataDir, remove } = await seededData({ events, persons: Math.min(1_000_000, events / 10) }, options.data ?? null);
let met = false;
try {
  const service = await startService({ dataDir, env: { TIDEMARK_STALENESS_SECONDS: String(STALENESS) } });
  try {
    met = report(`A watched dashboard over ${events.toLocaleString('en')} events, while events arrive`, await measure(service));
  } finally {
    await service.close();
  }
} finally {
  await remove();
}
finish(met);

async function measure(service: Service): Promise<Figure[]> {
  const dashboard = await createDashboard(service);
  const processes = await service.processes();
  const engine = processes.all.filter(({ pid }) => pid === processes.engine);

  const idle = await viewers(service, dashboard, { count: 1, everyMs: 0, seconds: 0 });
  const alone = await withEngineShare(engine, () => liveLoad(service, seconds / 2));
  const [loaded, visits] = await (async () => {
    const watched = withEngineShare(engine, () => liveLoad(service, seconds));
    const looking = viewers(service, dashboard, { count: VIEWERS, everyMs: LOOK_EVERY_MS, seconds });
    return Promise.all([watched, looking]);
  })();

  const [, budget] = BUDGETS.find(([upTo]) => events <= upTo) ?? [0, Number.NaN];
  // the first look of each viewer computes what nobody has looked at before
  const warm = visits.slice(VIEWERS);
  return [
    { name: 'whole dashboard, the first time', value: at(idle, 0.5), unit: 'ms' },
    { name: 'whole dashboard while watched, p50', value: at(warm, 0.5), unit: 'ms' },
    { name: '  p95', value: at(warm, 0.95), unit: 'ms', below: budget },
    { name: '  longest', value: at(warm, 1), unit: 'ms' },
    { name: 'dashboards shown', value: warm.length, unit: '' },
    {
      name: 'oldest number shown',
      value: oldestIn(warm) / 1000,
      unit: 's',
      below: STALENESS + 0.1,
    },
    { name: '  in the second half of the time', value: oldestIn(warm.slice(warm.length / 2)) / 1000, unit: 's' },
    { name: 'failed tiles', value: visits.reduce((sum, { failed }) => sum + failed, 0), unit: '', below: 1 },
    { name: 'processor time of the engine for it', value: loaded.share - alone.share, unit: 'of a core', below: 0.3 },
    { name: 'capture alone, p99', value: alone.result.p99, unit: 'ms' },
    { name: 'capture beside it, p99', value: loaded.result.p99, unit: 'ms', below: alone.result.p99 * 1.3 },
    { name: 'events stored a second', value: loaded.result.rate, unit: '' },
    { name: 'memory of all processes at the end', value: (await memoryOf(processes.all)) / 2 ** 20, unit: 'MiB' },
  ];
}

/** Runs work, and measures the processor time that the engine takes for it, in cores. */
async function withEngineShare<T>(
  engine: Parameters<typeof cpuOf>[0],
  work: () => Promise<T>,
): Promise<{ result: T; share: number }> {
  const begun = performance.now();
  const before = await cpuOf(engine);
  const result = await work();
  return { result, share: ((await cpuOf(engine)) - before) / ((performance.now() - begun) / 1000) };
}

async function createDashboard(service: Service): Promise<number> {
  const post = async (path: string, body: object) => {
    const answer = await service.post(`/api/environments/@current/${path}`, body);
    if (answer.status !== 201) throw new Error(`${path} answers ${answer.status}: ${JSON.stringify(answer.body)}`);
    return (answer.body as { id: number }).id;
  };
  const id = await post('dashboards/', { name: 'Watched' });
  for (const query of TILES) await post('insights/', { query: { kind: 'InsightVizNode', source: query }, dashboards: [id] });
  return id;
}

/** Age of the oldest number of visits, milliseconds. */
function oldestIn(visits: readonly Visit[]): number {
  return Math.max(...visits.map(({ oldest }) => oldest));
}

/** A quantile (0 to 1) of the durations of visits, milliseconds. */
function at(visits: readonly Visit[], share: number): number {
  const sorted = visits.map(({ took }) => took).sort((a, b) => a - b);
  return sorted[Math.ceil((sorted.length - 1) * share)] ?? Number.NaN;
}
