import type { Ports } from '../../deps.js';
import { createFlusher } from '../../jobs/index.js';
import { isObject, type JsonObject } from '../../kernel/json.js';
import type { Db } from '../../ports/db.js';
import { EventsFull, EventsUnavailable, type GroupRow, type PersonOverrideRow, type PersonRow } from '../../ports/events.js';
import { personUuid } from '../identities/index.js';
import { type DimensionRows, insertDimensionRows } from './insert-events.js';

const PAGE = 500;
const SETTLE_MS = 100;

/**
 * Copies persons, distinct ids and groups with an outbox entry to the event store, in their present state of PostgreSQL. Runs at start and
 * after a failed insert.
 * @param newest id of the last entry to copy; all entries by default
 * @throws EventsUnavailable | EventsFull
 */
export async function recoverOutbox(deps: Ports, newest = Number.MAX_SAFE_INTEGER): Promise<void> {
  for (;;) {
    const entries = await oldestEntries(deps.db, PAGE, newest);
    if (entries.length === 0) return;
    await insertDimensionRows(deps, await currentRows(deps, entries));
    await deleteEntries(
      deps.db,
      entries.map((entry) => entry.id),
    );
    if (entries.length < PAGE) return;
  }
}

/**
 * A function to call every few seconds. It copies the entries that existed at its previous call: their server failed to copy them, or was
 * killed and does not come back.
 */
export function createOutboxSweep(deps: Ports): () => Promise<void> {
  let newest = 0;
  return async () => {
    if (newest > 0) await recoverOutbox(deps, newest);
    newest = await newestEntry(deps.db);
  };
}

/** Copies what a transaction changed to the event store at once. If that fails, the outbox entries stay and the sweep copies it later. */
export async function copyToEventStore(deps: Ports, rows: DimensionRows, outboxIds: readonly number[]): Promise<void> {
  try {
    await insertDimensionRows(deps, rows);
    await deleteEntries(deps.db, outboxIds);
  } catch (error) {
    if (!(error instanceof EventsUnavailable || error instanceof EventsFull)) throw error;
  }
}

async function currentRows({ db, scheduler }: Ports, entries: readonly OutboxEntry[]): Promise<DimensionRows> {
  const readAt = scheduler.uptime();
  const [persons, overrides, groups]: [PersonRow[], PersonOverrideRow[], GroupRow[]] = [[], [], []];
  for (const projectId of new Set(entries.map((entry) => entry.project_id))) {
    const own = entries.filter((entry) => entry.project_id === projectId);
    persons.push(...(await personRows(db, projectId, keysOf(own, 'person'))));
    overrides.push(...(await overrideRows(db, projectId, keysOf(own, 'distinct_id'))));
    groups.push(...(await groupRows(db, projectId, keysOf(own, 'group'))));
  }
  return { persons, overrides, groups, readAt };
}

function keysOf(entries: readonly OutboxEntry[], kind: string): Keys {
  const keys = new Map<string, number>();
  for (const entry of entries) {
    if (entry.kind === kind) keys.set(entry.key, Math.max(entry.version, keys.get(entry.key) ?? 0));
  }
  return keys;
}

/** Deletes outbox entries after the event store has confirmed their rows. */
export interface OutboxSettler {
  settle(ids: readonly number[]): void;
  close(): Promise<void>;
}

/** Deletes in the background: an entry that survives costs one needless copy at the next start, nothing else. */
export function createOutboxSettler(deps: Ports): OutboxSettler {
  let waiting: number[] = [];
  const background = createFlusher(deps, {
    name: 'outbox',
    delayMs: SETTLE_MS,
    flush: async () => {
      const ids = waiting;
      waiting = [];
      try {
        for (let at = 0; at < ids.length; at += 10_000) await deleteEntries(deps.db, ids.slice(at, at + 10_000));
      } catch (error) {
        waiting.push(...ids);
        throw error;
      }
    },
  });
  return {
    settle(ids) {
      if (ids.length === 0) return;
      for (const id of ids) waiting.push(id);
      background.wake();
    },
    close: () => background.close(),
  };
}

/** An entry for a row whose copy in the event store is not confirmed. */
interface OutboxEntry {
  id: number;
  kind: string;
  project_id: number;
  key: string;
  /** Version of the row after the change. */
  version: number;
}

/** Keys of rows to copy to the event store, with the newest version recorded of each. */
type Keys = ReadonlyMap<string, number>;

/** The oldest entries of all projects up to the one with the id `newest`: the outbox belongs to the service, not to a project. */
async function oldestEntries(db: Db, limit: number, newest: number): Promise<OutboxEntry[]> {
  return db
    .selectFrom('analytics_outbox')
    .select(['id', 'kind', 'project_id', 'key', 'version'])
    .where('id', '<=', newest)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** The id of the newest entry; 0 if the outbox is empty. */
async function newestEntry(db: Db): Promise<number> {
  const { id } = await db
    .selectFrom('analytics_outbox')
    .select((e) => e.fn.max('id').as('id'))
    .executeTakeFirstOrThrow();
  return id ?? 0;
}

async function deleteEntries(db: Db, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await db.deleteFrom('analytics_outbox').where('id', 'in', ids).execute();
}

/** The present rows of the persons with these uuids; missing persons are returned as deleted. */
async function personRows(db: Db, projectId: number, keys: Keys): Promise<PersonRow[]> {
  if (keys.size === 0) return [];
  const persons = await db
    .selectFrom('persons')
    .select(['uuid', 'properties', 'is_identified', 'created_at', 'version'])
    .where('project_id', '=', projectId)
    .where('uuid', 'in', [...keys.keys()])
    .execute();
  const rows = persons.map((person) => ({
    project_id: projectId,
    person_id: person.uuid,
    properties: objectOf(person.properties),
    is_identified: person.is_identified,
    is_deleted: false,
    created_at: person.created_at.getTime(),
    version: person.version,
  }));
  const present = new Set(rows.map((row) => row.person_id));
  const gone = [...keys].filter(([uuid]) => !present.has(uuid));
  return [...rows, ...gone.map(([uuid, version]) => deletedPerson(projectId, uuid, version))];
}

const deletedPerson = (projectId: number, uuid: string, version: number): PersonRow => ({
  project_id: projectId,
  person_id: uuid,
  properties: {},
  is_identified: false,
  is_deleted: true,
  created_at: 0,
  version,
});

/** The present persons of these distinct ids; an id of a deleted person belongs to its own uuid again. */
async function overrideRows(db: Db, projectId: number, keys: Keys): Promise<PersonOverrideRow[]> {
  if (keys.size === 0) return [];
  const versions = new Map(keys);
  const found = await db
    .selectFrom('person_distinct_ids')
    .innerJoin('persons', 'persons.id', 'person_distinct_ids.person_id')
    .select(['person_distinct_ids.distinct_id', 'person_distinct_ids.version', 'persons.uuid as person_id'])
    .where('person_distinct_ids.project_id', '=', projectId)
    .where('person_distinct_ids.distinct_id', 'in', [...versions.keys()])
    .execute();
  for (const row of found) versions.delete(row.distinct_id);
  const gone = [...versions].map(([distinct_id, version]) => {
    return { distinct_id, version, person_id: personUuid(projectId, distinct_id) };
  });
  return [...found, ...gone].map((row) => ({ project_id: projectId, ...row }));
}

/** The present rows of the groups with these `<index>:<key>` keys, without missing ones. */
async function groupRows(db: Db, projectId: number, keys: Keys): Promise<GroupRow[]> {
  if (keys.size === 0) return [];
  const rows = await db
    .selectFrom('groups')
    .select(['group_type_index', 'group_key', 'group_properties', 'created_at', 'version'])
    .where('project_id', '=', projectId)
    .where((eb) =>
      eb.or(
        [...keys.keys()].map((key) =>
          eb.and([
            eb('group_type_index', '=', Number(key.slice(0, key.indexOf(':')))),
            eb('group_key', '=', key.slice(key.indexOf(':') + 1)),
          ]),
        ),
      ),
    )
    .execute();
  return rows.map((row) => ({
    project_id: projectId,
    group_type_index: row.group_type_index,
    group_key: row.group_key,
    properties: objectOf(row.group_properties),
    created_at: row.created_at.getTime(),
    version: row.version,
  }));
}

/** A jsonb column, which the driver has parsed. */
function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}
