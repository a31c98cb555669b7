// Cost of inserts by table layout: CPU seconds of the event engine for 100,000 events.
// node --import tsx bench/src/engine-insert.ts [--sustained]
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Session } from 'chdb';
import { EVENT_COLUMNS, EVENT_STRUCTURE } from '../../packages/server/dist/adapters/clickhouse/row-binary/index.js';
import { CHOSEN, LINES, VARIANTS, type Variant } from './engine-variants.js';
import { binaryRows, eventRows, renew } from './event-rows.js';

const ROWS = 50_000;
const BATCH = 2_000;
/** Rate of the one-minute run, events per second. */
const PACE = 15_000;
const PACED_BATCH = 1_500;
const PACED_ROUNDS = 600;

const [mode, name] = process.argv.slice(2);
if (mode === '--one') await measure(VARIANTS.find((variant) => variant.name === name) ?? CHOSEN);
else if (mode === '--sustained') await sustain();
else compare();

/** Runs each layout in its own process, because the engine opens one directory per process and CPU time is measured per process. */
function compare(): void {
  console.log(`${ROWS.toLocaleString('en')} events in batches of ${BATCH}, fsync on; processor seconds for 100,000 events`);
  console.log('insert   merge    both     MB      trend ms');
  for (const variant of VARIANTS) {
    const args = [...process.execArgv, process.argv[1] ?? '', '--one', variant.name];
    const { stdout, status } = spawnSync(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' });
    console.log(status === 0 ? stdout.trimEnd() : `${variant.name}: failed`);
  }
}

interface Table {
  insert(rows: Buffer): Promise<void>;
  run(sql: string): Promise<string>;
  close(): void;
}

async function openTable(variant: Variant): Promise<Table> {
  const directory = mkdtempSync(join(tmpdir(), 'tidemark-engine-insert-'));
  const open = () => new Session(directory, { connectionArgs: ['--max_server_memory_usage=1073741824'] });
  const writer = open();
  const reader = open();
  const run = async (sql: string) => (await reader.queryAsync(sql, { format: 'TSV' })).text().trim();
  await run('CREATE DATABASE bench ENGINE = Atomic');
  await run(`CREATE TABLE bench.events (project_id UInt32, uuid UUID, event LowCardinality(String), distinct_id String,
    person_id UUID, person_mode Enum8('full' = 1, 'propertyless' = 2), timestamp DateTime64(3, 'UTC'),
    inserted_at DateTime64(3, 'UTC'), elements_chain String, group_0 String, group_1 String, group_2 String, group_3 String,
    group_4 String, properties ${variant.properties}) ENGINE = ReplacingMergeTree PARTITION BY toYYYYMM(timestamp)
    PRIMARY KEY (project_id, toDate(timestamp), event, cityHash64(distinct_id))
    ORDER BY (project_id, toDate(timestamp), event, cityHash64(distinct_id), uuid)
    SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1
    ${variant.table ? `, ${variant.table}` : ''}`);
  let inserts = 0;
  return {
    insert: async (values) => {
      const settings: Record<string, string | number> = {
        json_type_escape_dots_in_keys: 1,
        type_json_skip_duplicated_paths: 1,
        input_format_try_infer_dates: 0,
        input_format_try_infer_datetimes: 0,
        optimize_on_insert: 0,
        insert_deduplication_token: `insert ${++inserts}`,
        ...variant.insert,
      };
      if (variant.binary) await fromFile(writer, join(directory, 'rows'), values, settings);
      else await writer.insert({ table: 'bench.events', values, format: 'JSONEachRow', settings });
    },
    run,
    close: () => {
      writer.close();
      reader.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Inserts as the service does: the engine reads RowBinary from a file. */
async function fromFile(session: Session, path: string, rows: Buffer, settings: Record<string, string | number>): Promise<void> {
  await writeFile(path, rows);
  const set = Object.entries(settings).map(([name, value]) => `${name} = '${value}'`);
  await session.queryAsync(
    `INSERT INTO bench.events (${EVENT_COLUMNS}) SELECT ${EVENT_COLUMNS} FROM file('${path}', RowBinary, $$${EVENT_STRUCTURE}$$) SETTINGS ${set}`,
  );
}

/** Inserts without merges, then merges everything once. */
async function measure(variant: Variant): Promise<void> {
  const lines = eventRows(ROWS, BATCH);
  const batches = variant.binary ? await Promise.all(lines.map(binaryRows)) : lines;
  const table = await openTable(variant);
  await table.run('SYSTEM STOP MERGES bench.events');
  const start = processorSeconds();
  for (const batch of batches) await table.insert(batch);
  const inserted = processorSeconds();
  await table.run('SYSTEM START MERGES bench.events');
  await table.run('OPTIMIZE TABLE bench.events FINAL');
  const merged = processorSeconds();
  const bytes = Number(await table.run("SELECT sum(bytes_on_disk) FROM system.parts WHERE database = 'bench' AND active"));
  const seconds = [inserted - start, merged - inserted, merged - start].map((s) => ((s * 100_000) / ROWS).toFixed(2).padEnd(9));
  console.log(
    `${seconds.join('')}${(bytes / 1e6).toFixed(1).padEnd(8)}${(await trend(table, variant)).padEnd(10)}${variant.name}`,
  );
  table.close();
}

/** One minute at the rate that the service must sustain, with JSON lines, whose uuids can be replaced in place. */
async function sustain(): Promise<void> {
  const batches = eventRows(PACED_BATCH * 100, PACED_BATCH);
  const table = await openTable(LINES);
  const times: number[] = [];
  const start = performance.now();
  const before = processorSeconds();
  for (let round = 0; round < PACED_ROUNDS; round++) {
    const batch = batches[round % batches.length];
    if (!batch) continue;
    renew(batch, round);
    const startedAt = performance.now();
    await table.insert(batch);
    times.push(performance.now() - startedAt);
    const ahead = ((round + 1) * PACED_BATCH * 1000) / PACE - (performance.now() - start);
    if (ahead > 0) await sleep(ahead);
  }
  const rows = PACED_ROUNDS * PACED_BATCH;
  const rate = (rows * 1000) / (performance.now() - start);
  const parts = await table.run("SELECT count() FROM system.parts WHERE database = 'bench' AND active");
  await settled(table);
  const each = ((processorSeconds() - before) * 100_000) / rows;
  times.sort((a, b) => a - b);
  const at = (share: number) => `${times[Math.floor(times.length * share)]?.toFixed(0)} ms`;
  console.log(`${rows.toLocaleString('en')} events at ${rate.toFixed(0)}/s (target: ${PACE}), inserts of ${PACED_BATCH}`);
  console.log(`p50 ${at(0.5)}, p99 ${at(0.99)}, slowest ${at(0.9999)}; ${parts} parts at the end`);
  console.log(`${each.toFixed(2)} processor seconds for 100,000 events, all merges included`);
  console.log(`trend with breakdown over all of them: ${await trend(table, LINES)} ms warm`);
  table.close();
}

async function settled(table: Table): Promise<void> {
  for (let quiet = 0; quiet < 10; ) {
    await sleep(200);
    quiet = (await table.run('SELECT count() FROM system.merges')) === '0' ? quiet + 1 : 0;
  }
}

/** Best of five, milliseconds: events a day by browser. */
async function trend(table: Table, { properties }: Variant): Promise<string> {
  const dynamic = "dynamicElement(properties.$browser, 'String')";
  const hinted = properties.includes('`$browser` String') ? 'properties.$browser' : dynamic;
  const browser = properties.startsWith('String') ? "JSONExtractString(properties, '$browser')" : hinted;
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 5; i++) {
    const start = performance.now();
    await table.run(`SELECT toDate(timestamp) AS day, ${browser} AS browser, count() FROM bench.events GROUP BY day, browser`);
    best = Math.min(best, performance.now() - start);
  }
  return best.toFixed(0);
}

function processorSeconds(): number {
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  return (userCPUTime + systemCPUTime) / 1e6;
}
