import type { Json } from '../../../kernel/json.js';
import type { ActorColumn } from './actors-query.js';

/** A list of actors: one row per actor, one value per column. */
export interface ActorsResult {
  results: Json[][];
  columns: string[];
  types: string[];
  hasMore: boolean;
  limit: number;
  offset: number;
}

/** Type name of a column in results. */
export function typeOf(column: ActorColumn): string {
  if ('key' in column) return 'Nullable(JSON)';
  if ('period' in column) return 'UInt8';
  const types = {
    appearances: 'Array(Int64)',
    actor: 'JSON',
    id: 'String',
    created_at: 'Nullable(DateTime)',
    is_identified: 'Bool',
    event_count: 'UInt64',
  };
  return types[column.field];
}
