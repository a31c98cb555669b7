import type { EventsStore } from '../ports/events.js';
import { createExecute } from './execute.js';
import { bound, type Fragment, sql, TRUE } from './sql/fragment.js';
import { isReadableName, property } from './sql/property.js';
import { selectFromEvents, selectFromPersons } from './sql/source.js';
import { before, notBefore } from './sql/time.js';

/*
 * What pickers suggest. A person types while these statements run, so each reads a bounded number of rows, and none reads more days than
 * it needs.
 */

/** How often a value occurs among the rows that were read. */
export interface ValueCount {
  name: string;
  count: number;
}

/** Values of a property, and which of them. */
export interface ValuesRequest {
  /** Name of the property. */
  key: string;
  /** Only values that contain this, in any case. */
  contains: string;
  /** How many values, the most frequent first. */
  limit: number;
}

/** A request for values of events. */
export interface EventValuesRequest extends ValuesRequest {
  /** Only events of these names; null: of all names. */
  events: readonly string[] | null;
  /** Epoch milliseconds. */
  now: number;
}

const DAY_MS = 86_400_000;
/** Days before now that are read one range after the other, until there are enough values. */
const RANGES: readonly (readonly [from: number, to: number])[] = [
  [1, 0],
  [7, 1],
  [30, 7],
  [90, 30],
];
/** Rows that are read of one range. */
const MAX_ROWS = 200_000;
/** Values of one range that are merged with those of the others. */
const MERGED_VALUES = 1_000;

/** Whether the values of a property of this name can be read. */
export const hasReadableValues = isReadableName;

/**
 * Finds the most frequent values of a property of events, of the last day first, then of longer ranges up to 90 days until there are
 * `limit` of them. Counts are those of the rows that were read: at most 200,000 of each range.
 */
export async function findEventValues(
  events: EventsStore,
  projectId: number,
  { key, contains, limit, events: names, now }: EventValuesRequest,
  signal?: AbortSignal,
): Promise<ValueCount[]> {
  const execute = createExecute(events, projectId, signal);
  const counts = new Map<string, number>();
  for (const [from, to] of RANGES) {
    const rows = selectFromEvents({
      projectId,
      select: [sql`${property({ type: 'event' }, key).text} as value`],
      where: [
        notBefore(now - from * DAY_MS),
        // events of the present hour may be ahead of this clock
        ...(to > 0 ? [before(now - to * DAY_MS)] : []),
        ...(names ? [sql`e.event in ${bound('Array(String)', names)}`] : []),
      ],
      limit: MAX_ROWS,
    });
    for (const { name, count } of await execute<ValueCount>(frequent(rows, contains, MERGED_VALUES))) {
      counts.set(name, (counts.get(name) ?? 0) + count);
    }
    if (counts.size >= limit) break;
  }
  return [...counts]
    .map(([name, count]) => ({ name, count }))
    .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
    .slice(0, limit);
}

/** Finds the most frequent values of a property of persons. */
export function findPersonValues(
  events: EventsStore,
  projectId: number,
  { key, contains, limit }: ValuesRequest,
  signal?: AbortSignal,
): Promise<ValueCount[]> {
  const rows = selectFromPersons(projectId, [sql`${property({ type: 'person' }, key).text} as value`], TRUE);
  const some = sql`${rows} limit ${bound('Int64', MAX_ROWS)}`;
  return createExecute(events, projectId, signal)<ValueCount>(frequent(some, contains, limit));
}

/** The most frequent values of rows with a column `value`. */
function frequent(rows: Fragment, contains: string, limit: number): Fragment {
  const matches = contains === '' ? TRUE : sql`positionCaseInsensitiveUTF8(value, ${bound('String', contains)}) > 0`;
  return sql`select assumeNotNull(value) as name, count() as count from (${rows}) where value is not null and ${matches}
    group by name order by count desc, name limit ${bound('Int64', limit)}`;
}

/** Names of events that are counted. */
const MAX_NAMES = 10_000;

/** Counts the events of the last `days` by name; names without any are absent. */
export async function countEventsByName(
  events: EventsStore,
  projectId: number,
  { days, now }: { days: number; now: number },
): Promise<Map<string, number>> {
  const statement = selectFromEvents({
    projectId,
    select: [sql`toString(e.event) as name`, sql`count() as count`],
    where: [notBefore(now - days * DAY_MS)],
    groupBy: [sql`e.event`],
    orderBy: [sql`count desc`],
    limit: MAX_NAMES,
  });
  const rows = await createExecute(events, projectId)<ValueCount>(statement);
  return new Map(rows.map(({ name, count }) => [name, count]));
}
