import { type Fragment, sql } from './fragment.js';

/** A time as ISO text such as `2024-01-31T12:00:00.000Z`. */
export const isoText = (time: Fragment): Fragment => sql`concat(replaceOne(toString(${time}, 'UTC'), ' ', 'T'), 'Z')`;
