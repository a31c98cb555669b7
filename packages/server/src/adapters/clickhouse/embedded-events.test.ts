import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Process, processTree } from '@tidemark/testkit';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { loadConfig } from '../../config.js';
import { type EventRow, type EventsStore, EventsUnavailable, type PersonRow } from '../../ports/events.js';
import { builtModule } from '../../testing/built-module.js';
import { eventRow, personRow } from '../../testing/events-contract/index.js';
import { createScheduler } from '../system/index.js';
import { openEvents } from './index.js';

const log = pino({ level: 'silent' });
const ENDLESS = 'SELECT count() FROM numbers(1e12) WHERE sipHash64(number) = 1';
let home: string;
let stores: EventsStore[];
let children: ChildProcess[];

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'tidemark-embedded-events-'));
  stores = [];
  children = [];
});

afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  for (const store of stores) await store.close();
  await rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
});

interface Opening {
  fsync?: 'on' | 'off';
  metrics?: Registry;
  /** Megabytes. */
  memory?: string;
}

async function open({ fsync = 'off', metrics, memory = '1024' }: Opening = {}): Promise<EventsStore> {
  const settings = { TIDEMARK_DATA: home, TIDEMARK_FSYNC: fsync, TIDEMARK_ENGINE_MEMORY_MB: memory };
  const store = await openEvents(loadConfig(settings), { log, scheduler: createScheduler(), metrics });
  stores.push(store);
  return store;
}

/** The engine process of our directory under a process. */
async function engineOf(root = process.pid): Promise<Process | undefined> {
  for (const candidate of await processTree(root)) {
    if (!candidate.command.includes('engine-process')) continue;
    const directory = await readlink(`/proc/${candidate.pid}/cwd`).catch(() => '');
    if (directory === join(home, 'events')) return candidate;
  }
  return undefined;
}

async function killEngine(): Promise<void> {
  const engine = await engineOf();
  if (!engine) throw new Error('There is no engine.');
  process.kill(engine.pid, 'SIGKILL');
}

/** A process that ended keeps its number until its parent asks for it, but has no command any more. */
const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}`) && readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== '';

const insert = (store: EventsStore, ...rows: EventRow[]) => store.insert('events', rows, { token: randomUUID() });

/** Uuids of all events. */
const uuids = async (store: EventsStore) =>
  new Set((await store.query<{ uuid: string }>({ sql: 'SELECT uuid FROM events FINAL' })).rows.map((row) => row.uuid));

/** Another process that opens the same directory, and says so when it has. */
async function openElsewhere(): Promise<ChildProcess> {
  const code = `
    import { openEvents } from ${JSON.stringify(builtModule('adapters/clickhouse/index'))};
    import { loadConfig } from ${JSON.stringify(builtModule('config'))};
    import { createScheduler } from ${JSON.stringify(builtModule('adapters/system/index'))};
    import { pino } from 'pino';
    const store = await openEvents(loadConfig({ TIDEMARK_DATA: ${JSON.stringify(home)} }), { log: pino({ level: 'silent' }), scheduler: createScheduler() });
    await store.insert('events', ${JSON.stringify([eventRow()])}, { token: 'elsewhere' });
    console.log('open');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  await new Promise((resolve, reject) => {
    child.stdout?.once('data', resolve);
    child.once('exit', (code) => reject(new Error(`ended with ${code}`)));
  });
  return child;
}

describe('the engine process', () => {
  test('data survives a restart, and the process ends with the store', async () => {
    const first = await open();
    const row = eventRow();
    await insert(first, row);
    const engine = await engineOf();
    await first.close();
    expect(engine && isAlive(engine.pid)).toBe(false);
    expect(await uuids(await open())).toEqual(new Set([row.uuid]));
  });

  test('it does not have the environment of the service', async () => {
    await open();
    const engine = await engineOf();
    const environment = readFileSync(`/proc/${engine?.pid}/environ`, 'utf8');
    expect(environment.split('\0').filter(Boolean).sort()).toEqual(['TZ=UTC', 'UV_THREADPOOL_SIZE=12']);
  });

  test('a kill at any moment loses and doubles no row that is acknowledged later', async () => {
    const metrics = new Registry();
    const store = await open({ fsync: 'on', metrics });
    const acknowledged = new Set<string>();
    let stop = false;
    const writing = (async () => {
      while (!stop) {
        const rows = Array.from({ length: 50 }, () => eventRow());
        await insert(store, ...rows);
        for (const row of rows) acknowledged.add(row.uuid);
        await sleep(1);
      }
    })();
    for (let round = 0; round < 4; round++) {
      await sleep(150 + round * 70);
      await killEngine();
      await expect
        .poll(() =>
          store.ping().then(
            () => 'up',
            () => 'down',
          ),
        )
        .toBe('up');
    }
    stop = true;
    await writing;
    const [{ rows = 0 } = {}] = (await store.query<{ rows: number }>({ sql: 'SELECT count() AS rows FROM events' })).rows;
    expect(rows).toBe(acknowledged.size);
    const stored = await uuids(store);
    expect([...acknowledged].filter((uuid) => !stored.has(uuid))).toEqual([]);
    expect(acknowledged.size).toBeGreaterThan(100);
    expect(await metrics.metrics()).toMatch(/tidemark_event_engine_restarts_total 4/);
  });

  test('pending calls fail when it dies', async () => {
    const store = await open();
    const calls = [
      ...Array.from({ length: 8 }, () => store.query({ sql: ENDLESS })),
      store.query({ sql: ENDLESS, signal: new AbortController().signal }),
    ];
    const outcomes = Promise.allSettled(calls);
    await killEngine();
    const late = store.ping();
    for (const outcome of [...(await outcomes), ...(await Promise.allSettled([late]))]) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'EventsUnavailable' } });
    }
  });

  test('it reads with all processors, for any memory limit', async () => {
    const store = await open();
    const sql = 'SELECT explain FROM (EXPLAIN PIPELINE SELECT number % 10 AS n, count() FROM numbers_mt(1e7) GROUP BY n)';
    const steps = (await store.query<{ explain: string }>({ sql })).rows.map((row) => row.explain.trim());
    expect(steps).toContain(`AggregatingTransform × ${availableParallelism()}`);
  });

  test('a read that exceeds the memory with all processors is repeated with one', async () => {
    const store = await open({ memory: '256' });
    const sql = 'SELECT uniqExact(number % 6000000) AS count FROM numbers_mt(12000000)';
    expect((await store.query({ sql })).rows).toEqual([{ count: 6_000_000 }]);
  });

  test('it inserts while long reads use all its readers', async () => {
    const store = await open();
    await insert(store, eventRow());
    const abort = new AbortController();
    const reads = Array.from({ length: 8 }, () => store.query({ sql: ENDLESS, signal: abort.signal }));
    const ended = Promise.allSettled(reads);
    await sleep(200);
    let ends = 0;
    for (const read of reads) read.catch(() => {}).finally(() => ends++);
    const waits: number[] = [];
    for (let i = 0; i < 15; i++) {
      const started = performance.now();
      await insert(store, eventRow());
      waits.push(performance.now() - started);
    }
    expect(ends).toBe(0);
    expect(waits.sort((a, b) => a - b)[7]).toBeLessThan(100);
    abort.abort();
    await ended;
  });
});

describe('the data directory of the engine', () => {
  test('a read that allows stale results returns while inserted rows are not yet in the tables', async () => {
    const store = await open();
    const sql = 'SELECT count() AS n FROM events';
    const [first, ...rest] = Array.from({ length: 4_000 }, (_, i) =>
      // each month is a part of its own, which takes the engine some time
      eventRow({ timestamp: Date.UTC(2020, i % 60, 1), properties: { [`property ${i % 50}`]: i } }),
    );
    await insert(store, ...(first ? [first] : []));
    expect((await store.query({ sql })).rows).toEqual([{ n: 1 }]);
    await insert(store, ...rest);
    const answers: unknown[] = [];
    const read = async (allowStale: boolean) => answers.push((await store.query({ sql, allowStale })).rows[0]);
    await Promise.all([read(false), read(true)]);
    expect(answers).toEqual([{ n: expect.toSatisfy((n) => n < 4_000) }, { n: 4_000 }]);
  });

  test('a directory that another process holds is refused in one sentence', async () => {
    await openElsewhere();
    await expect(open()).rejects.toMatchObject({
      name: 'EventsUnavailable',
      message: `The event data in ${home}/events is in use by another process: stop it first, or set TIDEMARK_DATA to another directory.`,
    });
  });

  test('after a kill of the service it has every acknowledged row', async () => {
    const service = await openElsewhere();
    const orphan = await engineOf(service.pid);
    expect(orphan && isAlive(orphan.pid)).toBe(true);
    service.kill('SIGKILL');
    const store = await open();
    expect((await uuids(store)).size).toBe(1);
    expect(orphan && isAlive(orphan.pid)).toBe(false);
  });

  test('after a kill of the service with a hung engine it has every acknowledged row', async () => {
    const service = await openElsewhere();
    const hung = await engineOf(service.pid);
    process.kill(hung?.pid ?? 0, 'SIGSTOP');
    service.kill('SIGKILL');
    await once(service, 'exit');
    expect((await uuids(await open())).size).toBe(1);
    expect(hung && isAlive(hung.pid)).toBe(false);
  });

  test('rows that the table refuses are written to a file, and the rows around them are inserted', async () => {
    const store = await open();
    const person = (fields: Partial<PersonRow>) => personRow({ project_id: 1, person_id: randomUUID(), ...fields });
    const [good, deep, bad, last] = [
      person({}),
      person({ properties: JSON.parse(`{"deep":${'['.repeat(2_000)}${']'.repeat(2_000)}}`) }),
      person({ person_id: 'no uuid' }),
      person({}),
    ];
    expect(await store.insert('persons', [good, deep, bad, last], { token: 'some' })).toEqual([]);
    const { rows } = await store.query<{ id: string; raw: string | null }>({
      sql: 'SELECT person_id AS id, properties.$raw_properties::Nullable(String) AS raw FROM persons ORDER BY created_at, id',
    });
    expect(new Set(rows.map(({ id }) => id))).toEqual(new Set([good.person_id, deep.person_id, last.person_id]));
    expect(rows.find(({ id }) => id === deep.person_id)?.raw).toMatch(/^\{"deep":\[{2000}/);
    const refused = readFileSync(join(home, 'events-refused.ndjson'), 'utf8').trimEnd().split('\n');
    expect(refused.map((line) => JSON.parse(line).person_id)).toEqual(['no uuid']);
  });

  test('it may have any name', async () => {
    home = join(home, "it's {a,b} * ? [c] %20 \\ ü");
    const store = await open();
    const row = eventRow({ properties: { a: 1 } });
    await insert(store, row);
    expect(await uuids(store)).toEqual(new Set([row.uuid]));
    expect(await readdir(join(home, 'events', 'incoming'))).toEqual([]);
    home = dirname(home);
  });

  test('inserts are flushed or not, by the options of the last start', async () => {
    const settings = async (store: EventsStore) =>
      (
        await store.query<{ q: string }>({
          sql: "SELECT create_table_query AS q FROM system.tables WHERE name = 'events' AND database = 'tidemark'",
        })
      ).rows[0]?.q;
    for (const [fsync, value] of [
      ['on', 1],
      ['off', 0],
      ['on', 1],
    ] as const) {
      const store = await open({ fsync });
      expect(await settings(store)).toContain(`fsync_after_insert = ${value}, fsync_part_directory = ${value}`);
      await store.close();
    }
  });
});

describe('endless statements', () => {
  test('an expression that never checks the time limit ends with the engine, which restarts', async () => {
    const store = await open();
    const word = "concat(repeat('a', 60000), toString(number))";
    const minutes = `SELECT sum(editDistance(${word}, repeat('b', 60000))) FROM numbers(100)`;
    await expect(store.query({ sql: minutes, maxSeconds: 1 })).rejects.toThrow(EventsUnavailable);
    await vi.waitFor(() => store.ping(), { timeout: 30_000, interval: 100 });
  }, 90_000);

  const running = async (store: EventsStore) => {
    const sql = 'SELECT count() AS n FROM system.processes WHERE query LIKE {mark:String} AND query NOT LIKE {own:String}';
    const { rows } = await store.query<{ n: number }>({ sql, params: { mark: '%sipHash64%', own: '%system.processes%' } });
    return rows[0]?.n;
  };

  test('those of one project leave readers for other projects and the service, in any order', async () => {
    const store = await open();
    const caller = new AbortController();
    const ended = Array.from({ length: 6 }, () =>
      store.query({ sql: ENDLESS, tenant: 1, signal: caller.signal }).catch((error: Error) => error.name),
    );
    await expect.poll(() => running(store)).toBe(3);
    expect((await store.query({ sql: 'SELECT 2 AS two', tenant: 2 })).rows).toEqual([{ two: 2 }]);
    expect(await store.ping()).toHaveProperty('version');
    // another project's fill what is left but for the service's own
    const other = Array.from({ length: 3 }, () =>
      store.query({ sql: ENDLESS, tenant: 2, signal: caller.signal }).catch((error: Error) => error.name),
    );
    await expect.poll(() => running(store)).toBe(4);
    expect(await store.ping()).toHaveProperty('version');
    caller.abort();
    expect(new Set(await Promise.all([...ended, ...other]))).toEqual(new Set(['AbortError']));
    // who waited in line and left is not served
    await expect.poll(() => running(store)).toBe(0);
    expect((await store.query({ sql: 'SELECT 1 AS one', tenant: 1 })).rows).toEqual([{ one: 1 }]);
  });

  test('reads of exports and in the background take two sessions at most, and one that somebody waits for goes first', async () => {
    const store = await open();
    const caller = new AbortController();
    const deferred = [1, 2, 3, 4].map((tenant) =>
      store
        .query({ sql: ENDLESS, tenant, workload: tenant % 2 ? 'export' : 'background', signal: caller.signal })
        .catch((error: Error) => error.name),
    );
    await expect.poll(() => running(store)).toBe(2);
    // two more sessions are free for projects: these came later than the third and the fourth, and run
    for (const tenant of [3, 4]) {
      expect((await store.query({ sql: 'SELECT 1 AS one', tenant })).rows).toEqual([{ one: 1 }]);
    }
    expect(await running(store)).toBe(2);
    caller.abort();
    expect(new Set(await Promise.all(deferred))).toEqual(new Set(['AbortError']));
  });
});
