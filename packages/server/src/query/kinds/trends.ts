import { ApiError } from '../../kernel/errors.js';
import { type Buckets, bucketsOf, MAX_BUCKETS, type Span, spanOf } from '../buckets.js';
import type { EventsNode, Math as SeriesMath, TrendsQuery } from '../query.js';
import { condition } from '../sql/filter.js';
import { bound, every, type Fragment, identifier, some, sql } from '../sql/fragment.js';
import { PERSON_ID, selectFromEvents } from '../sql/source.js';
import { type Execute, instantSql, type Kind, type KindContext } from './kind.js';

/** One line: a number for every bucket of time, zeros included. */
export interface TrendsSeries {
  action: { id: string | null; type: 'events'; order: number; name: string; custom_name: string | null; math: string };
  label: string;
  /** The sum of `data`. */
  count: number;
  data: number[];
  labels: string[];
  days: string[];
}

export interface TrendsResult {
  results: TrendsSeries[];
  hasMore: false;
}

export const runTrends: Kind<TrendsQuery, TrendsResult> = async (query, context, execute) => {
  const earliest = query.dateFrom === 'all' ? await earliestEvent(context, execute) : null;
  const span = spanOf(query, query.interval, context.moment, earliest);
  const buckets = bucketsOf(span, query.interval, context.moment.timezone);
  if (!buckets) {
    throw new ApiError('invalid_input', `This range has more than ${MAX_BUCKETS} intervals.`, 'query__interval');
  }
  const rows = buckets.starts.length > 0 ? await execute<Row>(trendsStatement(query, context, span, buckets)) : [];
  const byStart = new Map(rows.map((row) => [Number(row.start), row]));
  return { results: query.series.map((series, index) => line(series, index, buckets, byStart)), hasMore: false };
};

type Row = Record<string, number>;

/** All series in one pass over the events: a row for each bucket that has any, a column for each series. */
export function trendsStatement(query: TrendsQuery, context: KindContext, span: Span, { starts }: Buckets): Fragment {
  const conditions = query.series.map((series) => seriesCondition(series, context));
  const start = sql`roundDown(toUnixTimestamp64Milli(e.timestamp), ${bound('Array(Int64)', starts)})`;
  const values = query.series.map((series, index) => {
    // with one series its condition is the statement's
    const own = conditions.length > 1 ? conditions[index] : undefined;
    return sql`${aggregate(series.math, own ?? null)} as ${identifier(`s${index}`)}`;
  });
  return selectFromEvents({
    projectId: context.projectId,
    select: [sql`${start} as start`, ...values],
    where: [
      sql`e.timestamp >= ${instantSql(span.from)}`,
      sql`e.timestamp < ${instantSql(span.to)}`,
      condition(query.properties, context),
      some(conditions),
    ],
    groupBy: [sql`start`],
  });
}

const seriesCondition = ({ event, properties }: EventsNode, context: KindContext): Fragment =>
  every([...(event === null ? [] : [sql`e.event = ${bound('String', event)}`]), condition(properties, context)]);

function aggregate(math: SeriesMath, only: Fragment | null): Fragment {
  if (math.kind === 'total') return only ? sql`countIf(${only})` : sql`count()`;
  if (math.kind === 'dau') return only ? sql`uniqExactIf(${PERSON_ID}, ${only})` : sql`uniqExact(${PERSON_ID})`;
  const key = sql`e.${identifier(`group_${math.index}`)}`;
  return only ? sql`uniqExactIf(${key}, ${only} and ${key} != '')` : sql`uniqExactIf(${key}, ${key} != '')`;
}

async function earliestEvent({ projectId }: KindContext, execute: Execute): Promise<number | null> {
  const select = [sql`count() as events`, sql`toUnixTimestamp64Milli(min(e.timestamp)) as first`];
  const [row] = await execute<{ events: number; first: number }>(selectFromEvents({ projectId, select, where: [] }));
  return row && row.events > 0 ? row.first : null;
}

function line(series: EventsNode, index: number, { starts, days, labels }: Buckets, rows: Map<number, Row>): TrendsSeries {
  const data = starts.map((start) => rows.get(start)?.[`s${index}`] ?? 0);
  const name = series.name ?? series.event ?? 'All events';
  return {
    action: { id: series.event, type: 'events', order: index, name, custom_name: series.customName, math: series.math.kind },
    label: series.customName ?? name,
    count: data.reduce((sum, one) => sum + one, 0),
    data,
    labels,
    days,
  };
}
