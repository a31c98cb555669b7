// npm run bench -- query [--events 10M] [--data DIR] [--no-gate]: each kind of query against hand-written SQL for the same result on the same engine,
// then over HTTP uncached and cached, and capture during endless queries.
import { parseArgs } from 'node:util';
import { eventMaker, type Service, startService } from '@tidemark/testkit';
import { pino } from 'pino';
import { openEvents } from '../../packages/server/dist/adapters/clickhouse/index.js';
import { createScheduler } from '../../packages/server/dist/adapters/system/index.js';
import { querySchema, runQuery } from '../../packages/server/dist/analytics/index.js';
import { loadConfig } from '../../packages/server/dist/config.js';
import { validate } from '../../packages/server/dist/http/validate.js';
import { eventsIn, seededData } from './data.js';
import { percentile, runLoad } from './load.js';
import { LONG_QUERY } from './query/long.js';
import { TEMPLATE } from './query/template.js';
import { KINDS } from './query-kinds.js';
import { type Figure, finish, report } from './report.js';
import { batchRequest, inTurn } from './requests.js';

const PERSONS = 200_000;
const PROJECT = 1;

const { values: options } = parseArgs({
  options: { events: { type: 'string', default: '1M' }, data: { type: 'string' }, 'no-gate': { type: 'boolean' } },
});
const events = eventsIn(options.events);
const isLarge = events > 5_000_000;
/** Short queries need more rounds, because noise affects them more. */
const ROUNDS = isLarge ? 9 : 25;

const { dataDir, remove } = await seededData({ events, persons: PERSONS }, options.data ?? null);
let met = false;
try {
  const figures = [...(await beside()), ...(await overHttp())];
  met = report(`Queries over ${events.toLocaleString('en')} events of ${PERSONS.toLocaleString('en')} persons`, figures);
} finally {
  await remove();
}
finish(met);

/** Alternates each kind with its hand-written statement, on the same store. */
async function beside(): Promise<Figure[]> {
  const config = { ...loadConfig({}), dataDir };
  const log = pino({ level: 'silent' });
  const scheduler = createScheduler();
  const store = await openEvents(config, { log, scheduler });
  try {
    const figures: Figure[] = [];
    for (const kind of KINDS) {
      const query = validate(querySchema, kind.query);
      const own: number[] = [];
      const written: number[] = [];
      for (let round = 0; round <= ROUNDS; round++) {
        const took = [
          await timed(() => runQuery(store, query, { projectId: PROJECT, timezone: 'UTC', now: Date.now() })),
          await timed(() => store.query({ sql: kind.sql })),
        ];
        // the first round warms up what both of them read
        if (round > 0) for (const [index, list] of [own, written].entries()) list.push(took[index] ?? 0);
      }
      figures.push(
        { name: kind.name, value: median(own), unit: 'ms', ...(isLarge && kind.within ? { below: kind.within } : {}) },
        { name: '  by hand', value: median(written), unit: 'ms' },
        // compares the fastest rounds, because other load slows either
        { name: '  ratio', value: Math.min(...own) / Math.min(...written), unit: '', below: 1.3 },
      );
    }
    return figures;
  } finally {
    await store.close();
  }
}

/** The same queries over HTTP, and their effect on concurrent capture. */
async function overHttp(): Promise<Figure[]> {
  const service = await startService({ dataDir });
  try {
    const figures: Figure[] = [];
    for (const kind of [...KINDS, ...TEMPLATE]) {
      const uncached: number[] = [];
      const cached: number[] = [];
      for (let round = 0; round <= ROUNDS; round++) {
        uncached.push(await timed(() => ask(service, kind, 'force_blocking')));
        cached.push(await timed(() => ask(service, kind, 'blocking')));
      }
      figures.push(
        { name: `${kind.name}, over HTTP`, value: median(uncached), unit: 'ms', ...(isLarge ? {} : { below: 150 }) },
        { name: '  cached', value: median(cached), unit: 'ms', below: 10 },
      );
    }
    const make = eventMaker(Date.now());
    const requests = Array.from({ length: 200 }, () => batchRequest(service.account.projectKey, make, 20));
    const load = { port: service.port, connections: 4, next: inTurn(requests) };
    await runLoad({ ...load, seconds: 3 });
    const alone = percentile(await runLoad({ ...load, seconds: 10 }), 0.99);
    const queries = new AbortController();
    const running = keepAsking(service, queries.signal);
    const busy = percentile(await runLoad({ ...load, seconds: 10 }), 0.99);
    queries.abort();
    await running;
    figures.push(
      { name: 'capture, p99 alone', value: alone, unit: 'ms' },
      { name: 'capture, p99 beside queries', value: busy, unit: 'ms', below: alone * 2 },
    );
    return figures;
  } finally {
    await service.close();
  }
}

async function ask(service: Service, kind: { query: unknown }, refresh: string, signal?: AbortSignal): Promise<void> {
  const answer = await fetch(`${service.url}/api/projects/${PROJECT}/query/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.account.personalKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query: kind.query, refresh }),
    ...(signal ? { signal } : {}),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${answer.status} ${text}`);
}

/** Repeats an endless query; at the end aborts it, as a closed page does. */
async function keepAsking(service: Service, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await ask(service, { query: LONG_QUERY }, 'force_blocking', signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
