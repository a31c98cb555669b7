import { type Moment, resolveDate, resolveInstant } from '../dates.js';
import type { Behavior, BehavioralCondition, Duration, EventCount, TimeWindow } from '../filter.js';
import { instantSql } from '../kinds/kind.js';
import { bucketIndex, EVENT_MILLIS } from './bucket-index.js';
import type { FilterContext } from './filter.js';
import { bound, every, type Fragment, selfContained, sql } from './fragment.js';
import { PERSON_ID } from './property.js';
import { selectFromEvents } from './source.js';
import { before, notBefore } from './time.js';

/** The earliest time of ClickHouse's DateTime64. */
const EARLIEST = Date.UTC(1900, 0, 1);

/** Condition: the person meets the behavioural condition. @param holds condition on the events that count */
export function behaviorCondition(
  { event, condition: did }: Behavior,
  holds: Fragment,
  { projectId, moment, person }: FilterContext,
): Fragment {
  const { from, to, having, matchesNonPerformers: ofNobody } = performerTest(did, moment);
  const performers = selectFromEvents({
    projectId,
    select: [sql`${PERSON_ID} as actor`],
    where: [
      ...(event === null ? [] : [sql`e.event = ${bound('String', event)}`]),
      ...(from === null ? [] : [notBefore(from)]),
      before(to),
      holds,
    ],
    groupBy: [sql`actor`],
  });
  // a person without such events yields no row; if they match too, select the complement of the people who fail
  const found = ofNobody ? sql`${performers} having not ${having}` : sql`${performers} having ${having}`;
  // the subquery has its own joins
  const people = selfContained(found);
  return ofNobody ? sql`(${person} global not in (${people}))` : sql`(${person} global in (${people}))`;
}

/** The events to aggregate (epoch milliseconds, `to` exclusive; `from` null: unbounded), and the `having` condition for a person. */
interface PerformerTest {
  from: number | null;
  to: number;
  having: Fragment;
  /** People without any such event match, too. */
  matchesNonPerformers: boolean;
}

function performerTest(did: BehavioralCondition, moment: Moment): PerformerTest {
  // ignore events with a timestamp in the future
  const to = moment.now + 1;
  switch (did.type) {
    case 'times':
      return {
        ...spanOf(did.window, moment),
        having: compared(sql`count()`, did.times),
        matchesNonPerformers: countMatches(0, did.times),
      };
    case 'first': {
      const span = spanOf(did.window, moment);
      const having = span.from === null ? sql`1` : sql`min(e.timestamp) >= ${instantSql(span.from)}`;
      return { from: null, to: span.to, having, matchesNonPerformers: false };
    }
    case 'regularly':
      return regularly(did, moment);
    case 'stopped': {
      const recent = since(did.recent, moment);
      return {
        from: since(did.since, moment),
        to,
        having: sql`max(e.timestamp) < ${instantSql(recent)}`,
        matchesNonPerformers: false,
      };
    }
    case 'restarted': {
      const [then, recent] = [since(did.since, moment), since(did.recent, moment)];
      const having = every([
        sql`countIf(${before(then)}) > 0`,
        sql`countIf(${notBefore(then)} and ${before(recent)}) = 0`,
        sql`countIf(${notBefore(recent)}) > 0`,
      ]);
      return { from: null, to, having, matchesNonPerformers: false };
    }
  }
}

function regularly(
  { each, periods, least, times }: Extract<BehavioralCondition, { type: 'regularly' }>,
  moment: Moment,
): PerformerTest {
  const ends = Array.from({ length: periods }, (_, index) => since({ ...each, count: each.count * (periods - index) }, moment));
  const to = moment.now + 1;
  const isEmptyEnough = countMatches(0, times);
  const period = bucketIndex(EVENT_MILLIS, { starts: ends });
  const counts = sql`sumMap([${period}], [toUInt64(1)]).2`;
  const full = sql`arrayCount(times -> ${compared(sql`times`, times)}, ${counts})`;
  const empty = isEmptyEnough ? sql`${bound('Int64', periods)} - length(${counts})` : sql`0`;
  return {
    from: ends[0] ?? to,
    to,
    having: sql`${full} + ${empty} >= ${bound('Int64', least)}`,
    matchesNonPerformers: isEmptyEnough,
  };
}

/** The start of the last `count` units: exclusive, hence one millisecond later. */
const since = ({ count, unit }: Duration, moment: Moment): number =>
  limited(resolveInstant(`-${count}${unit}`, moment), moment) + 1;

function spanOf(window: TimeWindow, moment: Moment): { from: number | null; to: number } {
  const now = moment.now + 1;
  if ('last' in window) return { from: since(window.last, moment), to: now };
  const from = window.from === 'all' ? null : limited(resolveDate(window.from, moment)?.instant ?? null, moment);
  const until = window.to === null ? null : resolveDate(window.to, moment);
  // an exact time is inclusive
  return { from, to: until ? limited(until.end ?? until.instant + 1, moment) : now };
}

function limited(instant: number | null, { now }: Moment): number {
  if (instant === null) throw new Error('the schema lets no such date through');
  return Math.max(EARLIEST, Math.min(instant, now + 1));
}

const SIGNS = { gte: sql`>=`, lte: sql`<=`, exact: sql`=`, gt: sql`>`, lt: sql`<` };

const compared = (count: Fragment, { comparison, value }: EventCount): Fragment =>
  sql`(${count} ${SIGNS[comparison]} ${bound('Int64', value)})`;

function countMatches(count: number, { comparison, value }: EventCount): boolean {
  const difference = count - value;
  if (comparison === 'exact') return difference === 0;
  if (comparison === 'gte' || comparison === 'gt') return comparison === 'gte' ? difference >= 0 : difference > 0;
  return comparison === 'lte' ? difference <= 0 : difference < 0;
}
