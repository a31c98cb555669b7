/** The question of an insight as the API takes it. Fields that the app does not edit stay as they are. */
export interface Question {
  kind: QuestionKind;
  series?: Series[];
  dateRange?: { date_from?: string | null; date_to?: string | null } | null;
  interval?: Interval | null;
  properties?: Filter[] | null;
  breakdownFilter?: BreakdownFilter | null;
  compareFilter?: { compare?: boolean; compare_to?: string | null } | null;
  filterTestAccounts?: boolean | null;
  trendsFilter?: Settings | null;
  funnelsFilter?: Settings | null;
  retentionFilter?: Settings | null;
  pathsFilter?: Settings | null;
  lifecycleFilter?: Settings | null;
  stickinessFilter?: Settings | null;
  /** The statement of a SQL question. */
  query?: string;
  [other: string]: unknown;
}

export type QuestionKind =
  | 'TrendsQuery'
  | 'FunnelsQuery'
  | 'RetentionQuery'
  | 'PathsQuery'
  | 'LifecycleQuery'
  | 'StickinessQuery'
  | 'HogQLQuery';

export type Interval = 'minute' | 'hour' | 'day' | 'week' | 'month';
type Settings = Record<string, unknown>;

/** An event or action that a question counts. */
export interface Series {
  kind: 'EventsNode' | 'ActionsNode';
  /** Name of the event; null: every event. */
  event?: string | null;
  /** Number of the action. */
  id?: number | null;
  name?: string | null;
  custom_name?: string | null;
  math?: string | null;
  math_property?: string | null;
  properties?: Filter[] | null;
  [other: string]: unknown;
}

/** A condition on a property of an event, a person, a group, or on a cohort. */
export interface Filter {
  type: FilterType;
  key: string;
  operator?: string;
  value?: FilterValue;
  [other: string]: unknown;
}

export type FilterType = 'event' | 'person' | 'group' | 'session' | 'event_metadata' | 'cohort' | 'element' | 'hogql';
export type FilterValue = string | number | boolean | null | (string | number)[];

export interface BreakdownFilter {
  breakdowns?: Breakdown[] | null;
  breakdown_limit?: number | null;
  [other: string]: unknown;
}

export interface Breakdown {
  property: string;
  type?: string | null;
  [other: string]: unknown;
}

/** The breakdowns of a question, also those of the older form, which has one `breakdown` or a list of names, and their `breakdown_type`. */
export function breakdownsOf(filter: BreakdownFilter | null | undefined): Breakdown[] {
  if (filter?.breakdowns?.length) return filter.breakdowns;
  const { breakdown, breakdown_type, breakdown_group_type_index, breakdown_histogram_bin_count, breakdown_normalize_url } =
    filter ?? {};
  const names = (Array.isArray(breakdown) ? breakdown : [breakdown]).filter((one) => one !== undefined && one !== null);
  return names.map((name) => ({
    property: String(name),
    type: typeof breakdown_type === 'string' ? breakdown_type : 'event',
    ...(breakdown_group_type_index !== undefined && { group_type_index: breakdown_group_type_index }),
    ...(breakdown_histogram_bin_count !== undefined && { histogram_bin_count: breakdown_histogram_bin_count }),
    ...(breakdown_normalize_url !== undefined && { normalize_url: breakdown_normalize_url }),
  }));
}

const OLDER_FIELDS = /^breakdown(_type|_group_type_index|_histogram_bin_count|_normalize_url)?$/;

/** The same breakdown filter with these breakdowns, in the form of today. */
export function withBreakdowns(filter: BreakdownFilter | null | undefined, breakdowns: Breakdown[]): BreakdownFilter | null {
  if (breakdowns.length === 0) return null;
  const others = Object.entries(filter ?? {}).filter(([name]) => !OLDER_FIELDS.test(name));
  return { ...Object.fromEntries(others), breakdowns };
}

/** The kinds in the order of the builder. */
export const KINDS: readonly { kind: QuestionKind; label: string; asks: string }[] = [
  { kind: 'TrendsQuery', label: 'Trends', asks: 'How much of something happens over time' },
  { kind: 'FunnelsQuery', label: 'Funnel', asks: 'How many people get from step to step' },
  { kind: 'RetentionQuery', label: 'Retention', asks: 'Who comes back' },
  { kind: 'PathsQuery', label: 'Paths', asks: 'What people do after or before something' },
  { kind: 'LifecycleQuery', label: 'Lifecycle', asks: 'Who is new, returning, back again or gone' },
  { kind: 'StickinessQuery', label: 'Stickiness', asks: 'On how many days people do something' },
  { kind: 'HogQLQuery', label: 'SQL', asks: 'Anything else' },
];

const pageview = (): Series => ({ kind: 'EventsNode', event: '$pageview', name: '$pageview', math: 'total' });
const DATES = { date_from: '-30d', date_to: null };

/** What a new question of a kind asks, before the person changes it. @param event the event to begin with */
export function newQuestion(kind: QuestionKind, event: Series = pageview()): Question {
  switch (kind) {
    case 'TrendsQuery':
      return { kind, series: [event], dateRange: DATES, interval: 'day', trendsFilter: { display: 'ActionsLineGraph' } };
    case 'FunnelsQuery':
      return { kind, series: [stepOf(event), stepOf(pageview())], dateRange: DATES, funnelsFilter: { funnelVizType: 'steps' } };
    case 'RetentionQuery': {
      const entity = { id: event.event ?? '$pageview', type: 'events' };
      return {
        kind,
        dateRange: DATES,
        retentionFilter: {
          period: 'Day',
          totalIntervals: 8,
          targetEntity: entity,
          returningEntity: entity,
          retentionType: 'retention_first_time',
        },
      };
    }
    case 'PathsQuery':
      return {
        kind,
        dateRange: { date_from: '-7d', date_to: null },
        pathsFilter: { includeEventTypes: ['$pageview'], stepLimit: 5 },
      };
    case 'LifecycleQuery':
      return { kind, series: [stepOf(event)], dateRange: DATES, interval: 'day' };
    case 'StickinessQuery':
      return { kind, series: [event], dateRange: DATES, interval: 'day' };
    case 'HogQLQuery':
      return {
        kind,
        query:
          'select event, count() as events\nfrom events\nwhere timestamp > now() - interval 7 day\ngroup by event\norder by events desc\nlimit 100',
      };
  }
}

/** A series without a math: steps of funnels and lifecycles count people. */
const stepOf = ({ math: _math, math_property: _property, ...series }: Series): Series => series;

/** Goes to another kind and keeps what both have: events, dates, filters, test accounts. */
export function changeKind(question: Question, kind: QuestionKind): Question {
  if (question.kind === kind) return question;
  const fresh = newQuestion(kind, question.series?.[0]);
  if (kind === 'HogQLQuery') return fresh;
  const { dateRange, properties, filterTestAccounts, series, interval } = question;
  const steps = kind === 'FunnelsQuery' || kind === 'LifecycleQuery' ? series?.map(stepOf) : series;
  const isEnough = steps && steps.length >= (kind === 'FunnelsQuery' ? 2 : 1);
  return {
    ...fresh,
    ...(dateRange && { dateRange }),
    ...(properties && { properties }),
    ...(filterTestAccounts !== undefined && { filterTestAccounts }),
    ...(interval && fresh.interval && { interval }),
    ...(fresh.series && isEnough && { series: kind === 'LifecycleQuery' ? steps.slice(0, 1) : steps }),
  };
}

/** The question inside the node by which an insight wraps it. */
export function unwrapQuestion(query: unknown): Question | null {
  if (typeof query !== 'object' || query === null || !('kind' in query)) return null;
  const source = 'source' in query ? query.source : query;
  return KINDS.some(({ kind }) => kind === (source as Question).kind) ? (source as Question) : null;
}

/** The letter of a series: A, B, …, Z, AA. */
export function seriesLetter(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26));
  return index < 26 ? letter : seriesLetter(Math.floor(index / 26) - 1) + letter;
}
