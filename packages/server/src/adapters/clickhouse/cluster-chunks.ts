import { retryWhile, sleep } from '../../kernel/scheduler.js';
import type { Scheduler } from '../../ports/system.js';
import { alterShards } from './cluster.js';
import { endCopies, type Side } from './cluster-copy.js';
import { isAway } from './nodes.js';
import { quoteText } from './sql-literals.js';
import { mutationsOf, type ProjectTable } from './topology.js';

/** How the rows of a table are compared and copied. */
interface TablePlan {
  name: ProjectTable;
  /** A chunk of a project: what one statement copies. */
  chunk: string;
  /** A part of a chunk that is compared by itself. */
  slice: string;
  /** Tells rows of a project apart. */
  key: string;
  /** Whether older versions of a row are left out. */
  isVersioned: boolean;
}

export const TABLES: readonly TablePlan[] = [
  { name: 'groups', chunk: '0', slice: "'all'", key: 'group_type_index, group_key, version', isVersioned: true },
  { name: 'persons', chunk: '0', slice: "'all'", key: 'person_id, version', isVersioned: true },
  { name: 'person_overrides', chunk: '0', slice: "'all'", key: 'distinct_id, version', isVersioned: true },
  { name: 'events', chunk: 'toYYYYMM(timestamp)', slice: 'toDate(timestamp)', key: 'uuid', isVersioned: false },
];

/** Rows of a project that one statement copies. */
export interface Chunk {
  project: number;
  part: number;
}

/** Number and checksum of the rows of a slice. */
interface Digest {
  count: number;
  sum: string;
}

/** Rows of which a statement knows the keys of those that are there already. */
const KNOWN_KEYS = 5_000_000;
/** Milliseconds between two looks at deletions. */
const LOOK_EVERY = 200;

export interface CopyContext {
  from: Side;
  to: Side;
  /** What stands behind `FROM` to read an old table from the new place. */
  source(table: string): string;
  scheduler: Scheduler;
}

/** The chunks of a table in either place. */
export async function chunksOf({ from, to }: CopyContext, table: TablePlan): Promise<Chunk[]> {
  const query = `SELECT DISTINCT project_id AS project, ${table.chunk} AS part FROM ${table.name} ORDER BY project, part`;
  const found = (await Promise.all([from, to].map((side) => side.rows<{ project: number; part: number }>(query)))).flat();
  const chunks = new Map(found.map((chunk) => [`${chunk.project} ${chunk.part}`, chunk]));
  return [...chunks.values()].sort((one, other) => one.project - other.project || one.part - other.part);
}

/** What was done to a chunk. */
export interface ChunkResult {
  /** Rows that the new place got. */
  copied: number;
  /** Rows that it has now. */
  count: number;
  /** Whether both places have the same rows now. */
  isSame: boolean;
}

/**
 * Makes a chunk the same in both places: rows that the new one lacks are inserted, slices with rows that the old one has not are deleted
 * there and copied again. It can be repeated after any interruption, because it goes by what is there.
 */
export async function copyChunk(
  context: CopyContext,
  table: TablePlan,
  { columns, chunk }: { columns: string; chunk: Chunk },
): Promise<ChunkResult> {
  const { from, to, scheduler } = context;
  const where = `project_id = ${chunk.project} AND ${table.chunk} = ${chunk.part}`;
  const compare = (options: { whole?: boolean; final?: boolean } = {}) =>
    Promise.all([from, to].map((side) => digests(side, table, columns, where, options))).then(
      ([old = new Map(), now = new Map()]) => ({
        now,
        differing: [...new Set([...old.keys(), ...now.keys()])].filter(
          (slice) => old.get(slice)?.count !== now.get(slice)?.count || old.get(slice)?.sum !== now.get(slice)?.sum,
        ),
        most: Math.max(0, ...[...old.values()].map(({ count }) => count)),
      }),
    );
  const repeated = (work: () => Promise<void>) =>
    retryWhile(scheduler, isAway, async () => {
      // its end is unknown if it was not reached: it may still run
      await endCopies(to);
      await work();
    });

  const before = await compare();
  const had = total(before.now);
  let state = before;
  if (state.differing.length > 0) {
    await repeated(() => insertMissing(context, table, columns, where, state.now.size === 0 ? null : state));
    state = await compare({ whole: true });
  }
  if (state.differing.length > 0) state = await compare({ whole: true, final: true });
  if (state.differing.length > 0) {
    const slices = inSlices(table, state.differing);
    await repeated(async () => {
      await deleteRows(context, table, `${where} AND ${slices}`);
      await insertMissing(context, table, columns, `${where} AND ${slices}`, null);
    });
    state = await compare({ whole: true, final: true });
  }
  const count = total(state.now);
  return { copied: Math.max(0, count - had), count, isSame: state.differing.length === 0 };
}

const total = (digestsBySlice: ReadonlyMap<string, Digest>): number =>
  [...digestsBySlice.values()].reduce((sum, { count }) => sum + count, 0);

const inSlices = ({ slice }: TablePlan, slices: readonly string[]): string => `${slice} IN (${slices.map(quoteText).join(', ')})`;

/** Numbers and checksums by slice. `whole`: with the properties, which never change under the same key and version. */
async function digests(
  side: Side,
  table: TablePlan,
  columns: string,
  where: string,
  { whole = false, final = false },
): Promise<Map<string, Digest>> {
  const hashed = columns
    .split(', ')
    .filter((column) => whole || column !== 'properties')
    .map((column) => (column === 'properties' ? 'toJSONString(properties)' : column));
  const rows = await side.rows<{ slice: string; count: string; sum: string }>(
    `SELECT ${table.slice} AS slice, count() AS count, toString(sum(cityHash64(${hashed.join(', ')}))) AS sum
     FROM ${table.name} ${table.isVersioned || final ? 'FINAL' : ''} WHERE ${where} GROUP BY slice`,
  );
  return new Map(rows.map(({ slice, count, sum }) => [slice, { count: Number(count), sum }]));
}

/** Inserts the rows of the old place; with `state`, of its slices that differ and without the rows that are there. */
async function insertMissing(
  { source, to }: CopyContext,
  { name, key, slice, isVersioned, ...table }: TablePlan,
  columns: string,
  where: string,
  state: { differing: string[]; most: number } | null,
): Promise<void> {
  const insert = `INSERT INTO ${name} (${columns}) SELECT ${columns} FROM ${source(name)} ${isVersioned ? 'FINAL' : ''} WHERE ${where}`;
  const settings = {
    // the same rows may come again after they were deleted
    insert_deduplicate: 0,
    async_insert: 0,
    max_partitions_per_insert_block: 0,
    // it would copy from shard to shard, as if both places had the same shards
    parallel_distributed_insert_select: 0,
  };
  if (!state) return to.run(insert, settings);
  const buckets = Math.max(1, Math.ceil(state.most / KNOWN_KEYS));
  for (const one of state.differing) {
    const these = inSlices({ name, key, slice, isVersioned, ...table }, [one]);
    for (let bucket = 0; bucket < buckets; bucket += 1) {
      const within = `${these} AND cityHash64(${key}) % ${buckets} = ${bucket}`;
      const known = `SELECT ${key} FROM ${name} WHERE ${where} AND ${within}`;
      await to.run(`${insert} AND ${within} AND (${key}) GLOBAL NOT IN (${known})`, settings);
    }
  }
}

/** Deletes rows in the new place, and waits until they are gone. */
async function deleteRows({ to, scheduler }: CopyContext, { name }: TablePlan, where: string): Promise<void> {
  await alterSide(to, `ALTER TABLE ${name} DELETE WHERE ${where}`);
  await waitForMutations(to, scheduler);
}

/** Runs a statement on the tables with the rows, on one replica of each shard. */
export async function alterSide({ topology, nodes }: Side, query: string): Promise<void> {
  if (topology) await alterShards(topology, nodes, query);
  else await nodes[0]?.client.command({ query });
}

/** Waits until the place has no deletion that runs. */
export async function waitForMutations(side: Side, scheduler: Scheduler): Promise<void> {
  const { from, settings } = mutationsOf(side.topology);
  for (;;) {
    const rows = await side.rows(`SELECT 1 FROM ${from} AND NOT is_done LIMIT 1${settings}`);
    if (rows.length === 0) return;
    await sleep(scheduler, LOOK_EVERY);
  }
}
