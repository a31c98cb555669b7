import { type Fragment, sql } from '../../sql/fragment.js';
import { property } from '../../sql/property.js';
import { PERSON_ID } from '../../sql/source.js';

const ofEvent = (name: string): Fragment => property({ type: 'event' }, name).text;

/** The session of an event; null or empty: none. */
export const sessionId: Fragment = ofEvent('$session_id');

const start = sql`min(e.timestamp)`;
const end = sql`max(e.timestamp)`;
const URL = ofEvent('$current_url');
const first = (value: Fragment): Fragment => sql`argMin(${value}, e.timestamp)`;
const last = (value: Fragment): Fragment => sql`argMax(${value}, e.timestamp)`;

type Column = (inZone: (time: Fragment) => Fragment) => Fragment;

/** The columns of sessions, made of their events. */
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
  $entry_referring_domain: () => first(ofEvent('$referring_domain')),
  $entry_utm_source: () => first(ofEvent('utm_source')),
  $entry_utm_medium: () => first(ofEvent('utm_medium')),
  $entry_utm_campaign: () => first(ofEvent('utm_campaign')),
  $is_bounce: () =>
    sql`countIf(e.event in ('$pageview', '$screen')) = 1 and countIf(e.event = '$autocapture') = 0 and dateDiff('second', ${start}, ${end}) < 10`,
};
