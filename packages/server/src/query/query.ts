import type { Interval } from './buckets.js';
import type { FilterGroup } from './filter.js';
import type { EventColumn } from './kinds/event-columns.js';

/** Lists events. */
export interface EventsQuery {
  kind: 'EventsQuery';
  select: EventColumn[];
  properties: FilterGroup;
  fixedProperties: FilterGroup;
  event: string | null;
  personId: string | null;
  distinctId: string | null;
  orderBy: { column: EventColumn; descending: boolean }[];
  limit: number;
  offset: number;
  /** Only later (earlier) than; null: no bound. */
  after: string | null;
  before: string | null;
}

/** What is counted of the events of a series. */
export type Math = { kind: 'total' } | { kind: 'dau' } | { kind: 'unique_group'; index: number };

/** Events of one name (null: all), as one line of a trend. */
export interface EventsNode {
  event: string | null;
  name: string | null;
  customName: string | null;
  math: Math;
  properties: FilterGroup;
}

/** Counts events over time. */
export interface TrendsQuery {
  kind: 'TrendsQuery';
  series: EventsNode[];
  interval: Interval;
  /** As {@link spanOf} reads them. */
  dateFrom: string | null;
  dateTo: string | null;
  properties: FilterGroup;
}

export type Query = EventsQuery | TrendsQuery;
