import { type Fragment, joining, sql } from './fragment.js';

/** The person of an event after merges. */
export const PERSON_ID: Fragment = joining(sql`if(o.is_known, o.person_id, e.person_id)`, { table: 'person_overrides' });
