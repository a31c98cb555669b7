import { createFlusher } from '../../jobs/index.js';
import type { JsonObject } from '../../kernel/json.js';
import type { GroupRow, PersonRow, PropertyNames } from '../../ports/events.js';
import type { IntakeDeps } from '../capture.js';
import { Seen, type SeenEvent } from './seen.js';
import {
  type EventName,
  type EventProperty,
  markIngested,
  type PropertyName,
  propertyType,
  upsertEventNames,
  upsertEventProperties,
  upsertPropertyNames,
} from './store.js';

const FLUSH_MS = 1_000;
const HOUR_MS = 60 * 60 * 1000;
const ROWS_PER_STATEMENT = 2_000;
/** Limit of names and pairs in memory; beyond it the oldest projects are evicted, and their names are recorded again with later events. */
const MAX_NAMES = 2_000_000;
/** Instructions to ingestion, which are no properties of the event. */
const CONTROL_PROPERTIES = new Set(['$set', '$set_once', '$unset', '$groups']);

/** Records the event names and properties of projects, and when they were last seen (to the hour). */
export interface Definitions {
  /** Whether {@link event} would record anything: most events have no unseen name or property. */
  hasUnseen(projectId: number, name: string, properties: JsonObject): boolean;
  /** As {@link hasUnseen}, of properties whose names are known. */
  hasUnseenNames(projectId: number, name: string, names: PropertyNames): boolean;
  event(projectId: number, name: string, properties: JsonObject): void;
  person(row: PersonRow): void;
  group(row: GroupRow): void;
  close(): Promise<void>;
}

/** @param maxNames limit of names and pairs in memory, of all projects together */
export function createDefinitions(deps: IntakeDeps, maxNames = MAX_NAMES): Definitions {
  const { clock, db, ids } = deps;
  /** By project, for the present hour: names seen in an earlier hour are written again anyway. */
  const projects = new Map<number, Seen>();
  let hour = 0;
  /** Names and pairs of all projects together. */
  const total = { names: 0 };
  const lookups = { hits: 0, misses: 0 };
  deps.services.caches.add(() => ({ name: 'taxonomy', entries: total.names, bytes: null, ...lookups }));
  const waiting = {
    projects: [] as number[],
    events: [] as EventName[],
    properties: [] as PropertyName[],
    pairs: [] as EventProperty[],
  };
  const background = createFlusher(deps, { name: 'definitions', delayMs: FLUSH_MS, flush });

  async function flush(): Promise<void> {
    await drain(waiting.projects, (rows) => markIngested(db, rows));
    await drain(waiting.events, (rows) => upsertEventNames(db, rows));
    await drain(waiting.properties, (rows) => upsertPropertyNames(db, rows));
    await drain(waiting.pairs, (rows) => upsertEventProperties(db, rows));
  }

  function seenOf(projectId: number): Seen {
    const present = Math.floor(clock.now() / HOUR_MS);
    if (present !== hour) {
      hour = present;
      projects.clear();
      total.names = 0;
    }
    const known = projects.get(projectId);
    if (known) return known;
    for (const [oldest, seen] of projects) {
      if (total.names <= maxNames) break;
      projects.delete(oldest);
      total.names -= seen.size;
    }
    const seen = new Seen(total);
    projects.set(projectId, seen);
    return seen;
  }

  function record(seen: Seen, projectId: number, type: PropertyName['type'], index: number, properties: JsonObject): void {
    const owner = index < 0 ? type : `${type}${index}`;
    for (const name in properties) {
      if (!seen.property(owner, name)) continue;
      waiting.properties.push({
        id: ids.uuid(),
        project_id: projectId,
        type,
        group_type_index: index,
        name,
        property_type: propertyType(properties[name] ?? null),
        seen_at: now(),
      });
      background.wake();
    }
  }

  const now = () => new Date(clock.now()).toISOString();

  return {
    hasUnseen(projectId, name, properties) {
      const isNew = hasUnseen(seenOf(projectId), name, properties);
      lookups[isNew ? 'misses' : 'hits'] += 1;
      return isNew;
    },
    hasUnseenNames(projectId, name, names) {
      const seen = seenOf(projectId);
      const known = seen.isIngested && seen.events.get(name);
      const isNew = !known || (!known.nameLists.has(names) && names.list.some((one) => isUnseen(seen, known, one.name)));
      // a name that was seen stays seen
      if (known && !isNew) known.nameLists.add(names);
      lookups[isNew ? 'misses' : 'hits'] += 1;
      return isNew;
    },
    event(projectId, name, properties) {
      const seen = seenOf(projectId);
      if (!seen.isIngested) {
        seen.isIngested = true;
        waiting.projects.push(projectId);
        background.wake();
      }
      const entry = seen.event(name);
      if (!entry) return;
      if (entry.isNew) {
        waiting.events.push({ id: ids.uuid(), project_id: projectId, name, seen_at: now() });
        background.wake();
      }
      const unseen: JsonObject = {};
      let isNew = false;
      for (const property in properties) {
        if (!seen.hasRoom(entry.seen)) break;
        // the pair is checked first: if it is known, so is the property
        if (CONTROL_PROPERTIES.has(property) || !seen.pair(entry.seen, property)) continue;
        waiting.pairs.push({ project_id: projectId, event: name, property, seen_at: now() });
        unseen[property] = properties[property] ?? null;
        isNew = true;
      }
      if (!isNew) return;
      background.wake();
      record(seen, projectId, 'event', -1, unseen);
    },
    person: (row) => record(seenOf(row.project_id), row.project_id, 'person', -1, row.properties),
    group: (row) => record(seenOf(row.project_id), row.project_id, 'group', row.group_type_index, row.properties),
    close: () => background.close(),
  };
}

function hasUnseen(seen: Seen, name: string, properties: JsonObject): boolean {
  const known = seen.events.get(name);
  if (!known || !seen.isIngested) return true;
  // of a large event it would take milliseconds to find that
  if (!seen.hasRoom(known)) return false;
  for (const property in properties) if (isUnseen(seen, known, property)) return true;
  return false;
}

const isUnseen = (seen: Seen, known: SeenEvent, property: string): boolean =>
  seen.isNew(known, property) && !CONTROL_PROPERTIES.has(property);

/** Writes the rows in chunks; the rows of a failed chunk stay queued. */
async function drain<T>(rows: T[], store: (part: readonly T[]) => Promise<void>): Promise<void> {
  while (rows.length > 0) {
    const part = rows.slice(0, ROWS_PER_STATEMENT);
    await store(part);
    rows.splice(0, part.length);
  }
}
