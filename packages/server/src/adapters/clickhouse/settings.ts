import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { EventsStore, ReadStatement } from '../../ports/events.js';
import type { Clock, Scheduler } from '../../ports/system.js';
import type { Settings } from './engine/protocol.js';

/** What an event store is opened with. */
export interface EventsOptions {
  log: Logger;
  scheduler: Scheduler;
  metrics?: Registry | undefined;
  /** Compared with the clocks of a cluster's nodes. Absent: nobody compares them. */
  clock?: Clock | undefined;
}

/** The database of our tables, unless the address of the server names another one. */
export const DATABASE = 'tidemark';

/** Milliseconds that an insert may take. */
export const INSERT_DEADLINE = 30_000;

/** Milliseconds that a statement of a migration on a server may take. */
export const MIGRATION_DEADLINE = 600_000;

/** Milliseconds that an ALTER or another DDL statement may take; mutations go on in the background. */
export const WRITE_DEADLINE = 90_000;

/** Bytes of a read statement with its values: more than a million UUIDs. */
export const MAX_STATEMENT = 64 * 1024 * 1024;

const READ_SECONDS = 60;
const MAX_RESULT_ROWS = 1_000_000;
const MAX_RESULT_BYTES = 512 * 1024 * 1024;

/** Settings with which `properties` survive the JSON type unchanged, as far as the type can. */
const JSON_FIDELITY: Settings = {
  // `{"a.b": 1}` and `{"a": {"b": 1}}` are two things
  json_type_escape_dots_in_keys: 1,
};

/**
 * Number of keys from which on a GROUP BY is split into 256 buckets. Each bucket becomes a block of rows, and small blocks cost more
 * than the buckets save, above all with array functions.
 */
const TWO_LEVEL_KEYS = 300_000;

/** Settings of a read. `memory`: bytes that one read may use, half of it before it spills to the disk. */
export function readSettings(
  { maxSeconds = READ_SECONDS, workload = 'interactive' }: ReadStatement,
  memory: number | null,
): Settings {
  return {
    ...JSON_FIDELITY,
    ...(workload === 'interactive' ? {} : { max_threads: 1 }),
    max_execution_time: maxSeconds,
    max_result_rows: MAX_RESULT_ROWS,
    max_result_bytes: MAX_RESULT_BYTES,
    result_overflow_mode: 'throw',
    group_by_two_level_threshold: TWO_LEVEL_KEYS,
    output_format_json_quote_64bit_integers: 0,
    output_format_json_quote_denormals: 0,
    output_format_write_statistics: 0,
    date_time_output_format: 'iso',
    ...(memory === null
      ? {}
      : {
          max_memory_usage: memory,
          // by default the engine reads with one thread unless a gigabyte more is free for a second one
          max_threads_min_free_memory_per_thread: 0,
          max_bytes_before_external_group_by: Math.floor(memory / 2),
          max_bytes_before_external_sort: Math.floor(memory / 2),
        }),
  };
}

/** Settings of an insert. */
export function insertSettings(token: string): Settings {
  return {
    ...JSON_FIDELITY,
    insert_deduplication_token: token,
    type_json_skip_duplicated_paths: 1,
    // texts stay texts, whatever they look like
    input_format_try_infer_dates: 0,
    input_format_try_infer_datetimes: 0,
    input_format_json_read_bools_as_numbers: 0,
    input_format_json_read_bools_as_strings: 0,
    // a batch of imported events may span many years
    max_partitions_per_insert_block: 0,
    date_time_input_format: 'best_effort',
    max_execution_time: INSERT_DEADLINE / 1000,
    // rows of one key collapse in merges and in reads with FINAL: doing so here costs a fifth of an insert
    optimize_on_insert: 0,
    // a response must mean that the rows are stored, whatever the server's defaults are
    async_insert: 0,
  };
}

/** Statements that make the tables flush each insert to the disk before it is acknowledged, or no longer do. */
export async function fsyncSettings(store: Pick<EventsStore, 'query'>, fsync: boolean): Promise<string[]> {
  const wanted = `fsync_after_insert = ${Number(fsync)}, fsync_part_directory = ${Number(fsync)}`;
  const { rows } = await store.query<{ name: string; create_table_query: string }>({
    sql: "SELECT name, create_table_query FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree'",
  });
  return rows
    .filter(({ create_table_query: query }) => !query.includes(wanted) && (fsync || query.includes('fsync_after_insert')))
    .map(({ name }) => `ALTER TABLE ${name} MODIFY SETTING ${wanted}`);
}
