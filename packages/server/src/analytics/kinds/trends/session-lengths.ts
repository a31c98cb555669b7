import type { Span } from '../../buckets.js';
import type { Statistic } from '../../math.js';
import { commaList, type Fragment, sql } from '../../sql/fragment.js';
import { selectFromEvents } from '../../sql/source.js';
import { actorKey } from '../actor.js';
import { instantSql, type KindContext } from '../kind.js';
import { statistic } from './aggregate.js';

const SESSION = actorKey({ type: 'session' });
/** Maximum length of a session. */
const LONGEST = 24 * 3_600_000;

/**
 * Selects a statistic of session durations in seconds for each interval and breakdown value. A session counts once in each interval with an
 * event of the series, with its whole duration: from its first event of any name to its last.
 */
export function sessionLengths(
  kind: Statistic,
  span: Span,
  { select, within, groups }: { select: readonly Fragment[]; within: readonly Fragment[]; groups: readonly Fragment[] },
  { projectId }: KindContext,
): Fragment {
  const sessions = selectFromEvents({
    projectId,
    select: [sql`${SESSION} as session`, ...select],
    where: [...within, sql`${SESSION} != ''`],
    groupBy: [sql`session`, ...groups],
  });
  const lengths = selectFromEvents({
    projectId,
    select: [sql`${SESSION} as session`, sql`dateDiff('second', min(e.timestamp), max(e.timestamp)) as seconds`],
    where: [
      sql`e.timestamp >= ${instantSql(span.from - LONGEST)}`,
      sql`e.timestamp < ${instantSql(span.to + LONGEST)}`,
      sql`${SESSION} != ''`,
    ],
    groupBy: [sql`session`],
  });
  return sql`select ${commaList(groups)}, ${statistic(kind, sql`l.seconds`)} as v
    from (${sessions}) as s
    global any left join (${lengths}) as l on l.session = s.session
    group by ${commaList(groups)}`;
}
