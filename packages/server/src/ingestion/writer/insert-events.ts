import type { Ports } from '../../deps.js';
import { countKeys } from '../../kernel/json.js';
import { sleep } from '../../kernel/scheduler.js';
import { createTurns } from '../../kernel/turns.js';
import {
  EventsUnavailable,
  type EventToInsert,
  type GroupRow,
  type InsertOptions,
  type PersonOverrideToInsert,
  type PersonRow,
  type RowsToInsert,
} from '../../ports/events.js';
import type { Scheduler } from '../../ports/system.js';
import type { IngestMetrics } from '../metrics.js';
import type { EncodedEvent } from '../rows.js';
import { fitObject } from '../storable.js';
import { findStored, storedKey } from './stored-store.js';

/** A row to insert into `events`, and the state of its insert. */
export interface InsertRow {
  row: EncodedEvent;
  state: 'waiting' | 'stored' | 'unstorable';
}

/** Limits of one insert, in rows and in bytes of properties: larger inserts block the event loop without gain. */
const MAX_ROWS = 4_000;
const MAX_BYTES = 8 * 1024 * 1024;
/** How long to wait for an engine that restarts. */
const RECOVERY_TIMEOUT_MS = 10_000;
const PING_INTERVAL_MS = 200;

/**
 * Inserts the rows and sets the state of each. A row that the table refuses does not fail the others.
 * @param options when their persons were read, and whether they leave capacity for others
 * @throws EventsUnavailable | EventsFull rows that are still `waiting` may (unavailable) or may not (full) be stored
 */
export async function insertEvents(
  deps: Ports,
  metrics: IngestMetrics,
  rows: readonly InsertRow[],
  options: Omit<InsertOptions, 'token'>,
): Promise<void> {
  for (const chunk of chunks(rows)) {
    const done = metrics.insertSeconds.startTimer({ table: 'events' });
    const refused = new Set(
      await insertExactlyOnce(
        deps,
        chunk.map(({ row }) => row),
        { ...options, token: deps.ids.uuid() },
      ),
    );
    done();
    metrics.insertRows.observe({ table: 'events' }, chunk.length);
    for (const insert of chunk) {
      insert.state = refused.has(insert.row) ? 'unstorable' : 'stored';
      if (insert.state === 'stored') continue;
      deps.log.warn(
        { projectId: insert.row.project_id, uuid: insert.row.uuid },
        'the event store refuses this event in any form',
      );
    }
  }
}

function* chunks(rows: readonly InsertRow[]): Generator<InsertRow[]> {
  let chunk: InsertRow[] = [];
  let length = 0;
  for (const insert of rows) {
    if (chunk.length > 0 && (chunk.length >= MAX_ROWS || length + insert.row.properties.length > MAX_BYTES)) {
      yield chunk;
      chunk = [];
      length = 0;
    }
    chunk.push(insert);
    length += insert.row.properties.length;
  }
  if (chunk.length > 0) yield chunk;
}

/** Inserts each row once, also if the outcome of a first insert is unknown. Returns the rows that the table refuses. */
async function insertExactlyOnce(deps: Ports, rows: readonly EncodedEvent[], options: InsertOptions): Promise<EventToInsert[]> {
  try {
    return await deps.events.insert('events', rows, options);
  } catch (error) {
    if (!(error instanceof EventsUnavailable)) throw error;
    await waitForEventStore(deps, error);
    // Replicas know each other's tokens, and the one that answers now may lack rows that another one has stored. The token belongs to these
    // very rows: some of them alone would be stored again.
    if (deps.events.replicas) return await deps.events.insert('events', rows, options);
    // Elsewhere the token alone does not suffice: a crashed engine may remember the token of rows that it lost, hence the lookup. The retry
    // uses the same token, because on a server the first insert may still be running.
    const { found } = await findStored(deps.events, rows.map(keyOf));
    const missing = rows.filter((row) => !found.has(storedKey(row.project_id, row.uuid)));
    return await deps.events.insert('events', missing, options);
  }
}

async function waitForEventStore({ events, scheduler }: Ports, error: EventsUnavailable): Promise<void> {
  const deadline = scheduler.uptime() + RECOVERY_TIMEOUT_MS;
  for (;;) {
    await sleep(scheduler, PING_INTERVAL_MS);
    try {
      await events.ping();
      return;
    } catch {
      if (scheduler.uptime() >= deadline || !events.acceptsInserts()) throw error;
    }
  }
}

function keyOf(row: EncodedEvent) {
  return {
    projectId: row.project_id,
    uuid: row.uuid,
    event: row.event,
    distinctId: row.distinct_id,
    timestamp: row.timestamp,
  };
}

/** Rows of the dimension tables that the events of a group changed. */
export interface DimensionRows {
  persons: readonly PersonRow[];
  overrides: readonly PersonOverrideToInsert[];
  groups: readonly GroupRow[];
  /** The scheduler's uptime before the persons of the distinct ids were read. */
  readAt: number;
  /** Whether they leave capacity for others. */
  isBackground?: boolean;
}

/**
 * Inserts rows of persons, overrides and groups. Idempotent: of each key only the newest version counts.
 * @throws EventsUnavailable | EventsFull
 */
export async function insertDimensionRows(deps: Ports, rows: DimensionRows, metrics?: IngestMetrics): Promise<void> {
  const persons = await fitted(rows.persons, deps.scheduler);
  const groups = await fitted(rows.groups, deps.scheduler);
  await Promise.all([
    insertTable(deps, 'persons', persons, rows, metrics),
    insertTable(deps, 'person_overrides', rows.overrides, rows, metrics),
    insertTable(deps, 'groups', groups, rows, metrics),
  ]);
}

/** Members of properties that are looked at between two turns of the event loop, with ten for a row itself: about 2 ms. */
const MEMBERS_PER_TURN = 10_000;
const ROW_MEMBERS = 10;

/** The rows with their properties as the store takes them. */
async function fitted<R extends PersonRow | GroupRow>(rows: readonly R[], scheduler: Scheduler): Promise<R[]> {
  const turns = createTurns(scheduler, MEMBERS_PER_TURN);
  const done: R[] = [];
  for (const row of rows) {
    if (turns.isOver(ROW_MEMBERS + countKeys(row.properties))) await turns.next();
    done.push({ ...row, properties: fitObject(row.properties) });
  }
  return done;
}

async function insertTable<Table extends 'persons' | 'person_overrides' | 'groups'>(
  deps: Ports,
  table: Table,
  rows: readonly RowsToInsert[Table][],
  { readAt, isBackground = false }: Pick<DimensionRows, 'readAt' | 'isBackground'>,
  metrics: IngestMetrics | undefined,
): Promise<void> {
  if (rows.length === 0) return;
  const done = metrics?.insertSeconds.startTimer({ table });
  const refused = await deps.events.insert(table, rows, { token: deps.ids.uuid(), readAt, isBackground });
  done?.();
  metrics?.insertRows.observe({ table }, rows.length);
  for (const { project_id } of refused) {
    deps.log.warn({ table, projectId: project_id }, 'the event store refuses this row in any form');
  }
}
