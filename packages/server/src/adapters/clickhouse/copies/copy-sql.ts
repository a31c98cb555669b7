import type { CopyUnit } from '../../../ports/event-copies.js';
import type { EventTables, ReadStatement } from '../../../ports/events.js';
import type { Settings } from '../engine/protocol.js';
import { EVENT_COLUMNS } from '../row-binary/index.js';
import { quoteText, settingsClause } from '../sql-literals.js';

/** The columns of each table that are copied; the others are computed from them. */
export const COLUMNS: Readonly<Record<keyof EventTables, readonly string[]>> = {
  events: EVENT_COLUMNS.split(','),
  persons: ['project_id', 'person_id', 'properties', 'is_identified', 'is_deleted', 'created_at', 'version'],
  person_overrides: ['project_id', 'distinct_id', 'person_id', 'version'],
  groups: ['project_id', 'group_type_index', 'group_key', 'properties', 'created_at', 'version'],
};

/** The columns that tell one row of events from another, and from the same with other contents. */
const IDENTITY = 'project_id, uuid, event, distinct_id, person_id, timestamp, inserted_at';

/** Seconds that one statement may take: it is as long as its rows are many. */
const MAX_SECONDS = 24 * 60 * 60;

/** Where the tables are read. */
export type NameOf = (table: keyof EventTables) => string;

/** Rows of the same key replace each other when they are merged, so only the newest count. */
const from = (table: keyof EventTables, nameOf: NameOf): string => `${nameOf(table)} FINAL`;

const where = ({ table, part }: CopyUnit): string =>
  table === 'events' ? ` WHERE toDate(timestamp) = toDate(${quoteText(part)})` : '';

const statement = (sql: string): ReadStatement => ({ sql, maxSeconds: MAX_SECONDS, workload: 'background' });

const MEASURES = (columns: string) => `count() AS rows, toString(sum(cityHash64(${columns}))) AS checksum`;

/** Measures all units of a table by what identifies their rows. */
export const unitsStatement = (table: keyof EventTables, nameOf: NameOf): ReadStatement =>
  statement(
    table === 'events'
      ? `SELECT 'events' AS table, toString(toDate(timestamp)) AS part, ${MEASURES(IDENTITY)} FROM ${from(table, nameOf)} GROUP BY part ORDER BY part`
      : `SELECT ${quoteText(table)} AS table, 'all' AS part, ${MEASURES(COLUMNS[table].join())} FROM ${from(table, nameOf)} HAVING rows > 0`,
  );

/** Measures one unit by all that it holds. */
export const measureStatement = (unit: CopyUnit, nameOf: NameOf): ReadStatement =>
  statement(`SELECT ${MEASURES(COLUMNS[unit.table].join())} FROM ${from(unit.table, nameOf)}${where(unit)}`);

/** Selects the rows of a unit. */
export const rowsSql = (unit: CopyUnit, nameOf: NameOf): string =>
  `SELECT ${COLUMNS[unit.table].join()} FROM ${from(unit.table, nameOf)}${where(unit)}`;

/** Deletes the rows of a unit and waits until they are gone. */
export const clearSql = (unit: CopyUnit): string =>
  unit.table === 'events' ? `ALTER TABLE events DELETE${where(unit)}` : `ALTER TABLE ${unit.table} DELETE WHERE 1`;

/** Settings of an insert of copied rows. */
export const LOAD_SETTINGS: Settings = {
  // rows that were deleted may come again
  insert_deduplicate: 0,
  // what is measured afterwards is what was copied
  optimize_on_insert: 0,
  max_partitions_per_insert_block: 0,
  max_execution_time: MAX_SECONDS,
  async_insert: 0,
  json_type_escape_dots_in_keys: 1,
};

/** Settings of a read of copied rows. */
export const READ_SETTINGS: Settings = {
  max_execution_time: MAX_SECONDS,
  max_result_rows: 0,
  max_result_bytes: 0,
  json_type_escape_dots_in_keys: 1,
  do_not_merge_across_partitions_select_final: 1,
};

export const settingsOf = (settings: Settings): string => ` SETTINGS ${settingsClause(settings)}`;

/** Name of the snapshot of a table. */
export const snapshotName = (table: string): string => `snapshot_${table}`;

/** Statements that delete the snapshot of a table, if there is one. */
export const dropSnapshot = (table: string): string => `DROP TABLE IF EXISTS ${snapshotName(table)} SYNC`;

/**
 * Statements that make a snapshot of a table: the files of its rows get second names, so that it takes no time and no space. It stays as it
 * is, without merges.
 */
export const createSnapshot = (table: string): string[] => [
  dropSnapshot(table),
  `CREATE TABLE ${snapshotName(table)} AS ${table}`,
  `ALTER TABLE ${snapshotName(table)} MODIFY SETTING max_bytes_to_merge_at_max_space_in_pool = 1, max_bytes_to_merge_at_min_space_in_pool = 1`,
  `ALTER TABLE ${snapshotName(table)} ATTACH PARTITION ALL FROM ${table}`,
];

/**
 * The statement that gathers the rows of a unit from all shards in a table of one node.
 * @param latest when the newest event was inserted that is wanted, in milliseconds
 */
export const gatherSql = (unit: CopyUnit, latest: string): string =>
  `CREATE TABLE ${snapshotName(unit.table)} ENGINE = MergeTree ORDER BY tuple() AS ${rowsSql(unit, (table) => table)}${
    unit.table === 'events' ? ` AND toUnixTimestamp64Milli(inserted_at) <= ${latest}` : ''
  }${settingsOf(READ_SETTINGS)}`;

/** Measures gathered rows as `unitsStatement` does. */
export const measureGathered = (table: keyof EventTables): string =>
  `SELECT ${MEASURES(table === 'events' ? IDENTITY : COLUMNS[table].join())} FROM ${snapshotName(table)}`;

/** Selects gathered rows. */
export const gatheredSql = (table: keyof EventTables): string => `SELECT ${COLUMNS[table].join()} FROM ${snapshotName(table)}`;
