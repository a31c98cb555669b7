import { isObject, type Json } from '../../../kernel/json.js';
import type { KindContext } from '../kind.js';
import type { ActorColumn } from './actors-query.js';
import type { ActorsResult } from './actors-result.js';

/** Adds `distinct_ids` to the `actor` columns of a result. `columns`: null for SQL expressions. */
export async function withDistinctIds(
  result: ActorsResult,
  columns: readonly (ActorColumn | null)[],
  { readDistinctIds }: KindContext,
): Promise<ActorsResult> {
  const places = columns.flatMap((column, index) => (column && 'field' in column && column.field === 'actor' ? [index] : []));
  const persons = result.results.flatMap((row) => places.map((place) => personIn(row[place])));
  const ids = persons.flatMap((person) => (person === null ? [] : [person]));
  if (ids.length === 0) return result;
  const found = await readDistinctIds([...new Set(ids)]);
  const results = result.results.map((row) =>
    row.map((value, place) => {
      const person = places.includes(place) ? personIn(value) : null;
      return person !== null && isObject(value) ? { ...value, distinct_ids: found.get(person) ?? [] } : value;
    }),
  );
  return { ...result, results };
}

const personIn = (value: Json | undefined): string | null =>
  value !== undefined && isObject(value) && value['type'] === 'person' && typeof value['uuid'] === 'string'
    ? value['uuid']
    : null;
