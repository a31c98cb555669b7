import type { Selectable } from 'kysely';
import { isoTime } from '../../http/dates.js';
import type { DB } from '../../ports/db.js';

/** An event definition as responses show it. */
export function eventView(row: Selectable<DB['event_definitions']>) {
  return {
    id: row.id,
    name: row.name,
    description: '',
    tags: [],
    created_at: isoTime(row.created_at),
    last_seen_at: isoTime(row.last_seen_at),
    last_updated_at: isoTime(row.last_seen_at),
  };
}

interface PropertyRow {
  id: string;
  name: string;
  property_type: string | null;
  is_seen: boolean | null;
}

/** A property definition as responses show it. Without `event_names` in the request, `is_seen_on_filtered_events` is null. */
export function propertyView({ id, name, property_type, is_seen }: PropertyRow) {
  return {
    id,
    name,
    description: '',
    tags: [],
    property_type,
    is_numerical: property_type === 'Numeric',
    is_seen_on_filtered_events: is_seen,
  };
}
