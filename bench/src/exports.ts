// npm run bench -- exports [--no-gate]: the duration of an export, from the request until its content is ready, and how much memory
// the service needs while it makes one.
import { eventually, memoryOf, type Process, type Service, startService } from '@tidemark/testkit';
import { type Figure, finish, report } from './report.js';

const EVENTS = 100_000;
const BATCH = 5_000;
const ROUNDS = 5;
const MB = 1024 * 1024;
const PROJECT = '/api/projects/@current';
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const BROWSERS = ['Chrome', 'Firefox', 'Safari', 'Edge', 'Opera'];
const DISPLAYS = ['ActionsLineGraph', 'ActionsAreaGraph', 'ActionsBar', 'ActionsPie', 'ActionsBarValue', 'BoldNumber'];

const service = await startService();
let met = false;
try {
  console.log(`Storing ${EVENTS.toLocaleString('en')} events`);
  await storeEvents();
  const dashboard = await makeDashboard();
  const source = { kind: 'EventsQuery', select: ['event', 'distinct_id', 'timestamp', 'properties.$browser', 'properties.path'] };
  const tables = { export_context: { source: { ...source, after: '-30d' } } };
  const picture = await measured({ dashboard, export_format: 'image/png' });
  const document = await measured({ dashboard, export_format: 'application/pdf' });
  const csv = await measured({ ...tables, export_format: 'text/csv' });
  const xlsx = await measured({ ...tables, export_format: XLSX });
  met = report(`Exports: the median of ${ROUNDS}, asked for by HTTP`, [
    ...figures('6 tiles to PNG', picture, 0.5),
    ...figures('6 tiles to PDF', document, 1),
    ...figures(`${EVENTS.toLocaleString('en')} rows to CSV`, csv, 3),
    ...figures(`${EVENTS.toLocaleString('en')} rows to XLSX`, xlsx, 3),
  ]);
} finally {
  await service.close();
}
finish(met);

interface Measured {
  seconds: number;
  /** Duration of the first export, which also loads modules. */
  firstSeconds: number;
  /** Peak growth of the memory of the service's process. */
  extraBytes: number;
  bytes: number;
}

function figures(name: string, { seconds, firstSeconds, extraBytes, bytes }: Measured, below?: number): Figure[] {
  return [
    { name, value: seconds, unit: 's', ...(below === undefined ? {} : { below }) },
    { name: 'the first one', value: firstSeconds, unit: 's' },
    { name: 'extra memory', value: extraBytes / MB, unit: 'MB', ...(below === 3 ? { below: 150 } : {}) },
    { name: 'size', value: bytes / MB, unit: 'MB' },
  ];
}

async function measured(body: object): Promise<Measured> {
  const all: { seconds: number; extraBytes: number; bytes: number }[] = [];
  for (let round = 0; round <= ROUNDS; round++) all.push(await once(body));
  const [first, ...rest] = all;
  const times = rest.map(({ seconds }) => seconds).sort((a, b) => a - b);
  return {
    seconds: times[Math.floor(times.length / 2)] ?? 0,
    firstSeconds: first?.seconds ?? 0,
    extraBytes: Math.max(...rest.map(({ extraBytes }) => extraBytes)),
    bytes: rest[0]?.bytes ?? 0,
  };
}

async function once(body: object): Promise<{ seconds: number; extraBytes: number; bytes: number }> {
  const { all, service: pid } = await service.processes();
  const own = all.filter((process: Process) => process.pid === pid);
  const before = await memoryOf(own);
  let most = before;
  const watch = setInterval(async () => {
    most = Math.max(most, await memoryOf(own));
  }, 50);
  const start = performance.now();
  const created = await expectStatus(service.post(`${PROJECT}/exports/`, body), 201);
  const id = Number(created['id']);
  await eventually(
    async () => {
      const { has_content, exception } = await expectStatus(service.get(`${PROJECT}/exports/${id}/`), 200);
      if (exception) throw new Error(String(exception));
      if (!has_content) throw new Error('not yet');
    },
    { within: 60_000, every: 10 },
  );
  const seconds = (performance.now() - start) / 1000;
  clearInterval(watch);
  const content = await fetch(`${service.url}${PROJECT}/exports/${id}/content/`, {
    headers: { authorization: `Bearer ${service.account.personalKey}` },
  });
  return { seconds, extraBytes: most - before, bytes: (await content.arrayBuffer()).byteLength };
}

async function storeEvents(): Promise<void> {
  for (let at = 0; at < EVENTS; at += BATCH) {
    const batch = Array.from({ length: BATCH }, (_, i) => ({
      event: ['$pageview', 'signed up', 'invited'][(at + i) % 3],
      distinct_id: `person-${(at + i) % 1_000}`,
      timestamp: new Date(Date.now() - ((at + i) % 10_000) * 60_000).toISOString(),
      properties: { $browser: BROWSERS[(at + i) % BROWSERS.length], path: `/pages/${(at + i) % 400}`, number: at + i },
    }));
    const body = { api_key: service.account.projectKey, batch };
    await expectStatus(service.call('POST', '/batch/', { key: null, body }), 200);
  }
}

async function makeDashboard(): Promise<number> {
  const { id } = await expectStatus(service.post(`${PROJECT}/dashboards/`, { name: 'Everything' }), 201);
  for (const [i, display] of DISPLAYS.entries()) {
    const query = {
      kind: 'InsightVizNode',
      source: {
        kind: 'TrendsQuery',
        series: ['$pageview', 'signed up', 'invited'].map((event) => ({ kind: 'EventsNode', event })),
        dateRange: { date_from: '-14d' },
        trendsFilter: { display },
      },
    };
    await expectStatus(service.post(`${PROJECT}/insights/`, { name: `Insight ${i}`, query, dashboards: [id] }), 201);
  }
  return Number(id);
}

async function expectStatus(call: ReturnType<Service['post']>, expected: number): Promise<Record<string, unknown>> {
  const { status, body } = await call;
  if (status !== expected) throw new Error(`Status ${status}: ${JSON.stringify(body)}`);
  return typeof body === 'object' && body !== null ? Object.fromEntries(Object.entries(body)) : {};
}
