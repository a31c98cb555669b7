import { condition } from '../../sql/filter.js';
import { bound, every, type Fragment, sql } from '../../sql/fragment.js';
import { PERSON_ID } from '../../sql/person-id.js';
import { property } from '../../sql/property.js';
import { selectFromEvents } from '../../sql/source.js';
import { instantSql, type KindContext } from '../kind.js';
import type { Exposure } from './experiment.js';

const CALLED = '$feature_flag_called';

/** Pseudo-variant of excluded persons with several variants. No variant has an empty name. */
export const SEVERAL = '';

/** Timestamp of an event in epoch milliseconds. */
export const MILLIS = sql`toUnixTimestamp64Milli(e.timestamp)`;

/** Condition: the event lies within the experiment. */
export const within = ({ from, to }: Pick<Exposure, 'from' | 'to'>): Fragment =>
  sql`e.timestamp >= ${instantSql(from)} and e.timestamp < ${instantSql(to)}`;

const text = (name: string): Fragment => sql`ifNull(${property({ type: 'event' }, name).text}, '')`;

/** Selects the exposed persons: `person`, `first` (milliseconds) and `variant`. Merged persons are one. */
export function exposedPersons(exposure: Exposure, context: KindContext): Fragment {
  const isCall = exposure.action === undefined && (exposure.event === null || exposure.event === CALLED);
  const variant = text(isCall ? '$feature_flag_response' : `$feature/${exposure.flagKey}`);
  // ties within a millisecond are broken by uuid, so that results are stable
  const first = sql`argMin(${variant}, (${MILLIS}, e.uuid))`;
  return selectFromEvents({
    projectId: context.projectId,
    select: [
      sql`${PERSON_ID} as person`,
      sql`min(${MILLIS}) as first`,
      exposure.several === 'exclude'
        ? sql`if(uniqExact(${variant}) > 1, ${bound('String', SEVERAL)}, ${first}) as variant`
        : sql`${first} as variant`,
    ],
    where: [
      within(exposure),
      ...(exposure.action === undefined ? [sql`e.event = ${bound('String', exposure.event ?? CALLED)}`] : []),
      every(isCall ? [sql`${text('$feature_flag')} = ${bound('String', exposure.flagKey)}`] : []),
      sql`has(${bound('Array(String)', exposure.variants)}, ${variant})`,
      condition(exposure.properties, context),
      condition(context.testAccounts, context),
    ],
    groupBy: [sql`person`],
  });
}

/** Selects a row for each variant and day of first exposure. */
export const exposuresStatement = (exposure: Exposure, recentFrom: number, context: KindContext): Fragment =>
  sql`select variant, toString(toDate(fromUnixTimestamp64Milli(first, ${bound('String', context.moment.timezone)}))) as day, count() as persons, countIf(first >= ${bound('Int64', recentFrom)}) as recent
    from (${exposedPersons(exposure, context)})
    group by variant, day
    order by variant, day`;
