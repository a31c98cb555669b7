import { type Fragment, sql } from './fragment.js';
import { isoText, PERSON_ID, property } from './property.js';

const ofEvent = (name: string): Fragment => property({ type: 'event' }, name).text;

/** Session id of an event; null or empty: no session. */
export const sessionId: Fragment = ofEvent('$session_id');

const start = sql`min(e.timestamp)`;
const end = sql`max(e.timestamp)`;
const URL = ofEvent('$current_url');
const first = (value: Fragment): Fragment => sql`argMin(${value}, e.timestamp)`;
const last = (value: Fragment): Fragment => sql`argMax(${value}, e.timestamp)`;

type Column = (inZone: (time: Fragment) => Fragment) => Fragment;

/** Campaign parameters and click ids in the URL of the entry page. */
const CAMPAIGN = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content', 'gclid', 'fbclid', 'msclkid'] as const;

const isBounce = sql`countIf(e.event in ('$pageview', '$screen')) = 1 and countIf(e.event = '$autocapture') = 0 and dateDiff('second', ${start}, ${end}) < 10`;

/** Columns of the `sessions` table of user SQL, aggregated from events. */
export const SESSION_COLUMNS: Record<string, Column> = {
  session_id: () => sessionId,
  id: () => sessionId,
  distinct_id: () => sql`any(e.distinct_id)`,
  person_id: () => sql`any(${PERSON_ID})`,
  $start_timestamp: (inZone) => inZone(start),
  $end_timestamp: (inZone) => inZone(end),
  $session_duration: () => sql`dateDiff('second', ${start}, ${end})`,
  $event_count: () => sql`count()`,
  $pageview_count: () => sql`countIf(e.event = '$pageview')`,
  $screen_count: () => sql`countIf(e.event = '$screen')`,
  $autocapture_count: () => sql`countIf(e.event = '$autocapture')`,
  $entry_current_url: () => first(URL),
  $end_current_url: () => last(URL),
  $entry_pathname: () => sql`path(ifNull(${first(URL)}, ''))`,
  $end_pathname: () => sql`path(ifNull(${last(URL)}, ''))`,
  $entry_hostname: () => sql`domain(ifNull(${first(URL)}, ''))`,
  $end_hostname: () => sql`domain(ifNull(${last(URL)}, ''))`,
  $entry_referring_domain: () => first(ofEvent('$referring_domain')),
  ...Object.fromEntries(CAMPAIGN.map((name) => [`$entry_${name}`, () => first(ofEvent(name))])),
  $is_bounce: () => isBounce,
};

/** Session properties for filters and breakdowns. */
export const SESSION_PROPERTIES: readonly string[] = Object.keys(SESSION_COLUMNS).filter((name) => name.startsWith('$'));

/** A session property as nullable text: times as ISO text in UTC, booleans as `true` and `false`. */
export function sessionText(name: string): Fragment {
  const value = SESSION_COLUMNS[name]?.((time) => time) ?? sql`null`;
  if (name.endsWith('_timestamp')) return sql`toNullable(${isoText(value)})`;
  if (name === '$is_bounce') return sql`toNullable(if(${value}, 'true', 'false'))`;
  return sql`nullIf(toString(${value}), '')`;
}
