import type { Buckets, Span } from '../../buckets.js';
import type { EventsNode, MathActor } from '../../series-schema.js';
import { bitAt, bucketIndex, EVENT_MILLIS, maskType } from '../../sql/bucket-index.js';
import { inScope } from '../../sql/filter.js';
import { bound, byPerson, type Fragment, sql, TRUE } from '../../sql/fragment.js';
import { countColumn, maskColumn } from '../../sql/person-columns.js';
import { hasActor, isEvent, isNumberOfPerson, rowsByActor } from '../actor.js';
import { type Execute, type Kind, type KindContext, scaledBy, seriesFilters } from '../kind.js';
import { bucketsFor, comparedSpans } from '../span.js';
import { actionOf, type SeriesAction } from '../trends/line.js';
import type { StickinessQuery } from './stickiness-schema.js';

/** For each number of intervals, the number of people with that many. */
export interface StickinessSeries {
  action: SeriesAction;
  order: number;
  label: string;
  /** People with any interval. */
  count: number;
  data: number[];
  /** Numbers of intervals, from 1. */
  days: number[];
  labels: string[];
  compare?: boolean;
  compare_label?: 'current' | 'previous';
}

export interface StickinessResult {
  results: StickinessSeries[];
  hasMore: false;
}

export const STICKINESS: Kind<StickinessQuery, StickinessResult> = {
  filters: ({ properties, series }) => ({
    properties,
    ...seriesFilters(series),
  }),
  run: runStickiness,
};

async function runStickiness(query: StickinessQuery, context: KindContext, execute: Execute): Promise<StickinessResult> {
  const { current, previous } = await comparedSpans(query, context, execute);
  const times: { span: Span; label: 'current' | 'previous' }[] = [{ span: current, label: 'current' }];
  if (previous) times.push({ span: previous, label: 'previous' });
  const lines = times.flatMap(({ span, label }) => {
    const buckets = periodsFor(query, span, context);
    return query.series.map(async (series, order) => {
      const line = await stickinessLine(query, series, order, { span, buckets }, context, execute);
      return query.compare ? { ...line, compare: true, compare_label: label } : line;
    });
  });
  return { results: await Promise.all(lines), hasMore: false };
}

type Periods = Pick<Buckets, 'starts'>;

/** The periods to count. @throws ApiError invalid_input if there are too many */
export function periodsFor({ interval, intervalCount }: StickinessQuery, span: Span, context: KindContext): Periods {
  const { starts } = bucketsFor(span, interval, context);
  return { starts: starts.filter((_, index) => index === 0 || (starts.length - index) % intervalCount === 0) };
}

interface Time {
  span: Span;
  buckets: Periods;
}

async function stickinessLine(
  query: StickinessQuery,
  series: EventsNode,
  order: number,
  time: Time,
  context: KindContext,
  execute: Execute,
): Promise<StickinessSeries> {
  const { starts } = time.buckets;
  const rows =
    starts.length > 0
      ? await execute.ofSpan<{ intervals: number; people: number }>(
          sql`select intervals, count() as people from (${intervalsOf(query, series, time, context)}) group by intervals`,
          time.span,
        )
      : [];
  const people = new Map(rows.map((row) => [row.intervals, row.people]));
  const scaled = scaledBy(query);
  const days = starts.map((_, index) => index + 1);
  const exactly = days.map((day) => people.get(day) ?? 0);
  const data = query.cumulative ? days.map((day) => sum(exactly.slice(day - 1))) : exactly;
  const action = actionOf(series, order, context);
  return {
    action,
    order,
    label: action.custom_name ?? action.name,
    count: scaled(sum(exactly)),
    data: data.map(scaled),
    days,
    labels: days.map((day) => labelOf(day, query)),
  };
}

function labelOf(periods: number, { interval, intervalCount }: StickinessQuery): string {
  const plural = periods === 1 ? '' : 's';
  return intervalCount === 1 ? `${periods} ${interval}${plural}` : `${periods} period${plural} of ${intervalCount} ${interval}s`;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/** The actor of a series. */
export const actorOf = ({ math }: EventsNode): MathActor =>
  math.kind === 'unique_group' ? { type: 'group', index: math.index } : { type: 'person' };

const COMPARISONS = { gte: sql`>=`, lte: sql`<=`, exact: sql`=` } as const;

/** Selects a row for each actor: `actor`, and `intervals`, the number of periods with the event. */
export function intervalsOf(query: StickinessQuery, series: EventsNode, { span, buckets }: Time, context: KindContext): Fragment {
  const actor = actorOf(series);
  const { criteria } = query;
  const where = [...inScope(query, span, context), isEvent(series, context), ...hasActor(actor)];
  const marked = (rows: Fragment): Fragment => (isNumberOfPerson(actor, context) ? byPerson(rows) : rows);
  const type = maskType(buckets.starts.length);
  if (type && !criteria) {
    // a bit mask is smaller than a row for each interval of an actor
    const mask = maskColumn(sql`mask`, bitAt(bucketIndex(EVENT_MILLIS, buckets), type));
    const rows = rowsByActor(actor, { columns: [mask], where }, context);
    return marked(sql`select actor, toUInt64(bitCount(mask)) as intervals from (${rows})`);
  }
  const start = { name: sql`start`, of: sql`roundDown(${EVENT_MILLIS}, ${bound('Array(Int64)', buckets.starts)})` };
  const often = criteria ? sql`times ${COMPARISONS[criteria.operator]} ${bound('Int64', criteria.value)}` : TRUE;
  return marked(sql`select actor, count() as intervals
    from (${rowsByActor(actor, { keys: [start], columns: [countColumn(sql`times`)], where }, context)})
    where ${often}
    group by actor`);
}
