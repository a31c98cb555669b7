import { z } from 'zod';
import { querySchema, runQuery } from '../../analytics/index.js';
import type { ProjectContext } from '../../auth/index.js';
import { validate } from '../../http/validate.js';
import { ApiError } from '../../kernel/errors.js';
import type { Json } from '../../kernel/json.js';

/** Number of values in a response. */
const MAX_VALUES = 25;

/** A request for the values of a property. */
export interface ValuesRequest {
  of: 'events' | 'persons';
  /** Name of the property. */
  key: string;
  /** Only values that contain this text. */
  value?: string | undefined;
  /** Only events of this name; null: all. */
  event: string | null;
}

/** Lists the most frequent values of a property. @throws ApiError invalid_input: the name cannot be quoted */
export async function valuesOf({ deps, project }: ProjectContext, { of, key, value, event }: ValuesRequest) {
  if (/[`\\]/.test(key)) throw new ApiError('invalid_input', 'A property of this name cannot be queried.', 'key');
  const property = `properties.\`${key}\``;
  const conditions = [
    `${property} is not null`,
    ...(value ? [`position(lower(toString(${property})), lower({value})) > 0`] : []),
    ...(event ? ['event = {event}'] : []),
  ];
  const query = `select toString(${property}) as name, count() as times from ${of} where ${conditions.join(' and ')} group by name order by times desc, name limit ${MAX_VALUES}`;
  const parsed = validate(querySchema, { kind: 'HogQLQuery', query, values: { value: value ?? '', event: event ?? '' } });
  const queryContext = { projectId: project.id, timezone: project.timezone, now: deps.clock.now(), db: deps.db };
  const { rows } = rowsOf(await runQuery(deps.events, parsed, queryContext));
  return rows.map(([name, count]) => ({ name: String(name), count: Number(count) }));
}

/** Takes the rows from the result of a query, and whether there are more. */
export function rowsOf(result: object): { rows: Json[][]; hasMore: boolean } {
  const list = z.object({ results: z.array(z.array(z.json())), hasMore: z.boolean() }).parse(result);
  return { rows: list.results, hasMore: list.hasMore };
}
