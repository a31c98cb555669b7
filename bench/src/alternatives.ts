// npm run bench -- alternatives [--events 2M]: other ways to answer "persons a day" again and again than decision 0055, each built on the
// same events: the time of its answers, its cost for inserts and on disk, and whether it is right after a late event, a merge and a deletion.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Session } from 'chdb';
import { pino } from 'pino';
import { openEvents } from '../../packages/server/dist/adapters/clickhouse/index.js';
import { createScheduler } from '../../packages/server/dist/adapters/system/index.js';
import { loadConfig } from '../../packages/server/dist/config.js';
import { seedQueries } from './query-seed.js';

const given = process.argv[process.argv.indexOf('--events') + 1] ?? '';
const events = process.argv.includes('--events') ? Number.parseFloat(given) * (given.endsWith('M') ? 1_000_000 : 1) : 2_000_000;
const PERSONS = 200_000;
const ROUNDS = 7;
const BATCHES = 30;
const BATCH = 2_000;
/** Days of the question, today included. */
const DAYS = 31;

const PERSON = 'if(o.is_known, o.person_id, e.person_id)';
const OVERRIDES = `any left join (select cityHash64(distinct_id) as distinct_hash, argMax(person_id, version) as person_id, true as is_known
  from person_overrides where project_id = 1 group by distinct_hash) as o on o.distinct_hash = e.distinct_hash`;
const SINCE = `toDate(now('UTC')) - ${DAYS - 1}`;
const ALL_DAYS = `toDate(e.timestamp) >= ${SINCE} and toDate(e.timestamp) <= toDate(now('UTC'))`;
/** The answer as the service computes it: persons a day, after merges. */
const wholeOf = (
  table: string,
  days = ALL_DAYS,
) => `select toDate(e.timestamp) as day, uniqExact(${PERSON}) as n from ${table} as e ${OVERRIDES}
  where e.project_id = 1 and ${days} and e.event = '$pageview' group by day`;
const TODAY = "toDate(e.timestamp) = toDate(now('UTC'))";

/** One way to answer. Its statements name its own copy of the events. */
interface Way {
  name: string;
  /** Creates what it needs beside or in a copy of the events that is still empty. */
  create(table: string): string[];
  /** Fills what inserts do not fill. */
  fill?(table: string): string[];
  /** Selects `day` and `n`. */
  answer(table: string): string;
  /** What a change of today's events costs a reader before the answer is right. */
  refresh?(table: string): string[];
  /** Its answers are compared by interval-parts.test.ts. */
  isTested?: true;
  /** Tables beside the events. */
  own?(table: string): string[];
}

const rowsOf = (table: string, days: string) => `insert into ${table}_parts ${wholeOf(table, days)}`;
const orderedDays = (statement: string) => `select day, n from (${statement}) order by day`;

const WAYS: readonly Way[] = [
  { name: 'whole computation each time', create: () => [], answer: wholeOf },
  {
    name: 'chosen: intervals in memory',
    create: () => [],
    // what is read when only events of today have come; the other days are in the memory of the service
    answer: (table) => wholeOf(table, TODAY),
    isTested: true,
  },
  {
    name: 'parts as rows of a table',
    create: (table) => [`create table ${table}_parts (day Date, n UInt64) engine = ReplacingMergeTree order by day`],
    fill: (table) => [rowsOf(table, ALL_DAYS)],
    refresh: (table) => [rowsOf(table, TODAY)],
    answer: (table) => `select day, n from ${table}_parts final where day >= ${SINCE}`,
    own: (table) => [`${table}_parts`],
  },
  {
    name: 'states by a materialized view',
    create: (table) => [
      `create table ${table}_states (project_id UInt32, day Date, event LowCardinality(String), persons AggregateFunction(uniqExact, UUID))
        engine = AggregatingMergeTree order by (project_id, event, day)`,
      `create materialized view ${table}_view to ${table}_states as select project_id, toDate(timestamp) as day, event,
        uniqExactState(person_id) as persons from ${table} group by project_id, event, day`,
    ],
    answer: (table) => `select day, uniqExactMerge(persons) as n from ${table}_states
      where project_id = 1 and event = '$pageview' and day >= ${SINCE} group by day`,
    own: (table) => [`${table}_states`],
  },
  {
    name: 'projection with states',
    create: (table) => [
      `alter table ${table} modify setting deduplicate_merge_projection_mode = 'rebuild'`,
      `alter table ${table} add projection persons (select project_id, toDate(timestamp), event, uniqExact(person_id)
        group by project_id, toDate(timestamp), event)`,
    ],
    // a join would keep the engine from the projection
    answer: (table) => `select toDate(timestamp) as day, uniqExact(person_id) as n from ${table}
      where project_id = 1 and event = '$pageview' and toDate(timestamp) >= ${SINCE} group by day`,
  },
  {
    name: 'bitmaps of numbered persons',
    create: (table) => [
      `create table ${table}_numbers (person_id UUID, number UInt32) engine = Join(any, left, person_id)`,
      `create table ${table}_bits (project_id UInt32, day Date, event LowCardinality(String), persons AggregateFunction(groupBitmap, UInt32))
        engine = AggregatingMergeTree order by (project_id, event, day)`,
      `insert into ${table}_numbers select person_id, toUInt32(rowNumberInAllBlocks() + 1) from persons where project_id = 1`,
      `create materialized view ${table}_view to ${table}_bits as select project_id, toDate(timestamp) as day, event,
        groupBitmapState(joinGet('${table}_numbers', 'number', person_id)) as persons from ${table} group by project_id, event, day`,
    ],
    answer: (table) => `select day, groupBitmapMerge(persons) as n from ${table}_bits
      where project_id = 1 and event = '$pageview' and day >= ${SINCE} group by day`,
    own: (table) => [`${table}_numbers`, `${table}_bits`],
  },
];

const parent = await mkdtemp(join(tmpdir(), 'tidemark-bench-alternatives-'));
try {
  const dataDir = join(parent, 'data');
  const config = { ...loadConfig({}), dataDir };
  await (await openEvents(config, { log: pino({ level: 'silent' }), scheduler: createScheduler() })).close();
  const path = join(dataDir, 'events');
  await seedQueries({ path, projectId: 1, events, persons: PERSONS, now: Date.now() });
  const session = new Session(path);
  try {
    await compare(session);
  } finally {
    session.close();
  }
} finally {
  await rm(parent, { recursive: true, force: true });
}

async function compare(session: Session): Promise<void> {
  const run = async (sql: string) => (await session.queryAsync(sql, { format: 'TSV' })).text().trim();
  await run('USE tidemark');
  // merges of before, which no alternative but the parts knows of, are not what is compared
  await run('truncate table person_overrides');
  console.log(
    `${events.toLocaleString('en')} events, persons a day of the last ${DAYS} days; milliseconds; processor ms of 1,000 inserted events`,
  );
  console.log(cells(['', 'fill', 'answer', 'after a change', 'insert', 'MB more', 'late event', 'merge', 'deletion']));
  let plain: number | null = null;
  for (const [index, way] of WAYS.entries()) {
    const { bytes, row } = await measure(run, way, `copy_${index}`, plain);
    plain ??= bytes;
    console.log(cells(row));
  }
}

interface Measured {
  /** Of the events and what stands beside them. */
  bytes: number;
  row: string[];
}

/** `plain`: bytes of the events alone; null: this is their measurement. */
async function measure(run: (sql: string) => Promise<string>, way: Way, table: string, plain: number | null): Promise<Measured> {
  await run(`create table ${table} as events`);
  for (const sql of way.create(table)) await run(sql);
  await run(`insert into ${table} select * from events settings max_partitions_per_insert_block = 0`);
  const fill = await timed(async () => {
    for (const sql of way.fill?.(table) ?? []) await run(sql);
  });
  const answer = () => run(orderedDays(way.answer(table)));
  const refresh = async () => {
    for (const sql of way.refresh?.(table) ?? []) await run(sql);
  };
  const again = await best(answer);
  const insert = await inserting(run, table);
  const changed = await best(async () => {
    await refresh();
    await answer();
  });
  const bytes = await bytesOf(run, [table, ...(way.own?.(table) ?? [])]);

  // of intervals in memory, tests compare each answer with the whole computation
  const isRight = async () =>
    way.isTested ? 'tested' : (await answer()) === (await run(orderedDays(wholeOf(table)))) ? 'right' : 'wrong';
  await run(lateEvent(table));
  const late = await isRight();
  await refill(run, way, table);
  // two persons who were active on the same days become one
  await run(`insert into person_overrides select 1, concat('user-', toString(number)), (select any(person_id) from events where distinct_id = 'user-0'), 1
    from numbers(1, 50)`);
  const merge = await isRight();
  await run('truncate table person_overrides');
  await refill(run, way, table);
  await run(`alter table ${table} delete where distinct_id in (select concat('user-', toString(number)) from numbers(50))
    settings mutations_sync = 2`).catch(() => '');
  const deletion = await isRight();
  await run(`drop view if exists ${table}_view`);
  await run(`drop table ${table}`);
  const more = (bytes - (plain ?? bytes)) / 1e6;
  const times = [way.fill ? ms(fill) : '', ms(again), ms(changed)];
  return { bytes, row: [way.name, ...times, insert.toFixed(1), more.toFixed(1), late, merge, deletion] };
}

/** Stores an event of three days ago of somebody new. */
function lateEvent(table: string): string {
  return `insert into ${table} select * replace (generateUUIDv4() as uuid, concat('late-', toString(generateUUIDv4())) as distinct_id,
    generateUUIDv4() as person_id, now64(3, 'UTC') - interval 3 day as timestamp) from events where event = '$pageview' limit 1`;
}

/** Fills parts anew, so that each change is judged by itself. */
async function refill(run: (sql: string) => Promise<string>, way: Way, table: string): Promise<void> {
  for (const sql of way.fill?.(table) ?? []) await run(sql);
}

/** Processor milliseconds for 1,000 events of now, in batches. */
async function inserting(run: (sql: string) => Promise<string>, table: string): Promise<number> {
  const before = process.cpuUsage();
  for (let batch = 0; batch < BATCHES; batch++) {
    await run(`insert into ${table} select * replace (generateUUIDv4() as uuid, now64(3, 'UTC') as timestamp)
      from events where project_id = 1 and toDate(timestamp) = toDate(now('UTC')) - ${batch + 1} limit ${BATCH}`);
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / ((BATCHES * BATCH) / 1000);
}

async function bytesOf(run: (sql: string) => Promise<string>, tables: readonly string[]): Promise<number> {
  for (const table of tables) await run(`optimize table ${table} final`).catch(() => '');
  const names = tables.map((table) => `'${table}'`).join();
  return Number(await run(`select sum(total_bytes) from system.tables where database = 'tidemark' and name in (${names})`));
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

/** The fastest of several rounds, because other load slows any. */
async function best(work: () => Promise<unknown>): Promise<number> {
  const took: number[] = [];
  for (let round = 0; round < ROUNDS; round++) took.push(await timed(work));
  return Math.min(...took);
}

function ms(value: number): string {
  return value.toFixed(value < 10 ? 1 : 0);
}

function cells([name = '', ...others]: readonly string[]): string {
  return name.padEnd(32) + others.map((cell) => cell.padStart(16)).join('');
}
