// npm run bench -- public [--events 1M] [--rounds 9] [--beside DIR] [--no-gate]: a public page of ten tiles, uncached and cached: until
// the first tile, until the whole page, and how much processor time it costs. `--beside`: another built checkout, whose service is
// measured in turns with this one, because only ratios tell something on a machine with other work.
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { type Service, startService } from '@tidemark/testkit';
import { pino } from 'pino';
import { openEvents } from '../../packages/server/dist/adapters/clickhouse/index.js';
import { createScheduler } from '../../packages/server/dist/adapters/system/index.js';
import { loadConfig } from '../../packages/server/dist/config.js';
import { boardOf, TILES } from './public/board.js';
import { seedQueries } from './query-seed.js';
import { type Figure, finish, report } from './report.js';

const PROJECT = '/api/projects/@current';
const option = (name: string): string | null => {
  const at = process.argv.indexOf(name);
  return at < 0 ? null : (process.argv[at + 1] ?? null);
};
const given = option('--events') ?? '1M';
const events = Number.parseFloat(given) * (given.endsWith('M') ? 1_000_000 : 1);
const rounds = Number(option('--rounds') ?? 9);
const beside = option('--beside');

const parent = await mkdtemp(join(tmpdir(), 'tidemark-bench-public-'));
let met = false;
try {
  const dataDir = join(parent, 'data');
  await seed(dataDir);
  met = report(`A public page of ${TILES} tiles over ${events.toLocaleString('en')} events, compressed`, await measured(dataDir));
} finally {
  await rm(parent, { recursive: true, force: true });
}
finish(met);

/** One request for a page. */
interface Sent {
  /** Milliseconds until the end of the first tile, and of the page. */
  first: number;
  whole: number;
  /** Processor time of the service with its threads, and of the event engine; milliseconds. */
  processor: number;
  engine: number;
  /** Bytes over the wire. */
  bytes: number;
}

async function measured(dataDir: string): Promise<Figure[]> {
  const otherData = join(parent, 'other');
  if (beside !== null) await cp(dataDir, otherData, { recursive: true });
  const services = [{ name: '', service: await startService({ dataDir }) }];
  try {
    if (beside !== null) {
      const testkit: { startService: typeof startService } = await import(resolve(beside, 'packages/testkit/dist/index.js'));
      services.push({ name: ', beside', service: await testkit.startService({ dataDir: otherData }) });
    }
    const uncached: Sent[][] = services.map(() => []);
    const cached: Sent[][] = services.map(() => []);
    for (let round = 0; round <= rounds; round++) {
      for (const [at, { service }] of services.entries()) {
        const path = await publishBoard(service, round);
        // what follows the creation must not count for the page
        await sleep(200);
        const sent = [await send(service, path), await send(service, path), await send(service, path)];
        // the first round loads modules and starts threads
        if (round === 0) continue;
        uncached[at]?.push(...sent.slice(0, 1));
        cached[at]?.push(...sent.slice(1));
      }
    }
    return services.flatMap(({ name }, at) => [
      ...figuresOf(`uncached${name}`, uncached[at] ?? [], at === 0 ? { first: 300, whole: 1000 } : {}),
      ...figuresOf(`cached${name}`, cached[at] ?? [], at === 0 ? { whole: 50, bytes: 60 } : {}),
    ]);
  } finally {
    for (const { service } of services) await service.close();
  }
}

function figuresOf(name: string, all: readonly Sent[], below: { first?: number; whole?: number; bytes?: number }): Figure[] {
  const figure = (label: string, of: (sent: Sent) => number, unit: string, limit?: number): Figure[] => {
    const sorted = all.map(of).sort((a, b) => a - b);
    return [
      { name: `${name}: ${label}`, value: sorted[Math.floor(sorted.length / 2)] ?? 0, unit, ...(limit ? { below: limit } : {}) },
      { name: '  the fastest', value: sorted[0] ?? 0, unit },
    ];
  };
  return [
    ...figure('first tile', ({ first }) => first, 'ms', below.first),
    ...figure('whole page', ({ whole }) => whole, 'ms', below.whole),
    ...figure('processor time of the service', ({ processor }) => processor, 'ms'),
    ...figure('processor time of the engine', ({ engine }) => engine, 'ms'),
    ...figure('size', ({ bytes }) => bytes / 1000, 'KB', below.bytes).slice(0, 1),
  ];
}

async function send(service: Service, path: string): Promise<Sent> {
  const { service: main, engine } = await service.processes();
  const [mainBefore, engineBefore] = await Promise.all([processorOf(main), processorOf(engine)]);
  const start = performance.now();
  let first: number | null = null;
  let bytes = 0;
  await new Promise<void>((done, failed) => {
    const sent = request(`${service.url}${path}`, { headers: { 'accept-encoding': 'gzip, br' } }, (response) => {
      if (response.statusCode !== 200) failed(new Error(`${response.statusCode} of ${path}`));
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      let text = '';
      response
        .pipe(response.headers['content-encoding'] === 'gzip' ? createGunzip() : createBrotliDecompress())
        .on('data', (chunk: Buffer) => {
          text += chunk;
          if (first === null && text.includes('</article>')) first = performance.now() - start;
        })
        .on('error', failed)
        .on('end', () => {
          const tiles = text.split('</article>').length - 1;
          if (tiles !== TILES || /class="(fault|empty)"/.test(text))
            failed(new Error(`The page lacks tiles:\n${text.slice(-2000)}`));
          done();
        });
    });
    sent.on('error', failed).end();
  });
  const whole = performance.now() - start;
  const [mainAfter, engineAfter] = await Promise.all([processorOf(main), processorOf(engine)]);
  return { first: first ?? whole, whole, processor: mainAfter - mainBefore, engine: engineAfter - engineBefore, bytes };
}

/** Processor time of all threads of a process, milliseconds. */
async function processorOf(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`);
  const times = await Promise.all(
    threads.map(async (thread) => {
      const text = await readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').catch(() => '0');
      return Number(text.split(' ')[0]) / 1e6;
    }),
  );
  return times.reduce((sum, time) => sum + time, 0);
}

/** Publishes a board whose results and charts no cache has: new events are stored, and its series have other names. Resolves with its path. */
async function publishBoard(service: Service, round: number): Promise<string> {
  const batch = ['$pageview', 'signed_up', 'bought'].map((event) => ({
    event,
    distinct_id: `visitor of round ${round}`,
    properties: { $browser: 'Firefox', $os: 'Linux', amount: round + 1 },
  }));
  await expectOk(service.call('POST', '/batch/', { key: null, body: { api_key: service.account.projectKey, batch } }));
  const tiles = boardOf(round).map(({ name, source, place }) => ({
    insight: { name, query: { kind: 'InsightVizNode', source } },
    layouts: { sm: place },
  }));
  const { id } = await expectOk(service.post(`${PROJECT}/dashboards/`, { name: 'Northwind Cloud: growth', tiles }));
  const sharing = { enabled: true, settings: { dateRange: true } };
  const shared = await expectOk(service.call('PATCH', `${PROJECT}/dashboards/${id}/sharing/`, { body: sharing }));
  return `/shared/${shared['access_token']}`;
}

async function expectOk(call: ReturnType<Service['post']>): Promise<Record<string, unknown>> {
  const { status, body } = await call;
  if (status >= 300) throw new Error(`Status ${status}: ${JSON.stringify(body)}`);
  return typeof body === 'object' && body !== null ? Object.fromEntries(Object.entries(body)) : {};
}

async function seed(dataDir: string): Promise<void> {
  const config = { ...loadConfig({}), dataDir };
  const ports = { log: pino({ level: 'silent' }), scheduler: createScheduler() };
  await (await openEvents(config, ports)).close();
  await seedQueries({ path: join(dataDir, 'events'), projectId: 1, events, persons: 200_000, now: Date.now() });
}
