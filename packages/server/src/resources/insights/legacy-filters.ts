import { querySchema } from '../../analytics/index.js';
import { validate } from '../../http/validate.js';
import { ApiError } from '../../kernel/errors.js';
import { isObject, type Json, type JsonObject } from '../../kernel/json.js';

/** Kinds of query by the `insight` of filters. */
const KINDS = {
  TRENDS: 'TrendsQuery',
  FUNNELS: 'FunnelsQuery',
  RETENTION: 'RetentionQuery',
  PATHS: 'PathsQuery',
  STICKINESS: 'StickinessQuery',
  LIFECYCLE: 'LifecycleQuery',
} as const;
type Insight = keyof typeof KINDS;

/** Paths in a query by the member of filters that goes there. */
const COMMON: Readonly<Record<string, string>> = {
  date_from: 'dateRange.date_from',
  date_to: 'dateRange.date_to',
  explicit_date: 'dateRange.explicitDate',
  properties: 'properties',
  filter_test_accounts: 'filterTestAccounts',
  sampling_factor: 'samplingFactor',
};
const BREAKDOWN: Readonly<Record<string, string>> = {
  breakdown: 'breakdownFilter.breakdown',
  breakdown_type: 'breakdownFilter.breakdown_type',
  breakdowns: 'breakdownFilter.breakdowns',
  breakdown_group_type_index: 'breakdownFilter.breakdown_group_type_index',
  breakdown_normalize_url: 'breakdownFilter.breakdown_normalize_url',
  breakdown_histogram_bin_count: 'breakdownFilter.breakdown_histogram_bin_count',
  breakdown_limit: 'breakdownFilter.breakdown_limit',
  breakdown_hide_other_aggregation: 'breakdownFilter.breakdown_hide_other_aggregation',
};
const COMPARE: Readonly<Record<string, string>> = { compare: 'compareFilter.compare', compare_to: 'compareFilter.compare_to' };
const GROUP: Readonly<Record<string, string>> = { aggregation_group_type_index: 'aggregation_group_type_index' };

/** Paths of members whose names in a section of a query are those of filters in camel case. */
const section = (name: string, members: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    members
      .split(' ')
      .map((member) => [member, `${name}.${member.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())}`]),
  );

const PLACES: Record<Insight, Readonly<Record<string, string>>> = {
  TRENDS: { interval: 'interval', ...BREAKDOWN, ...COMPARE, ...section('trendsFilter', 'display formula smoothing_intervals') },
  FUNNELS: {
    interval: 'interval',
    ...BREAKDOWN,
    ...GROUP,
    ...section(
      'funnelsFilter',
      'funnel_viz_type funnel_from_step funnel_to_step funnel_window_interval funnel_window_interval_unit funnel_order_type exclusions breakdown_attribution_type breakdown_attribution_value bin_count',
    ),
  },
  RETENTION: {
    ...BREAKDOWN,
    ...GROUP,
    ...section('retentionFilter', 'retention_type total_intervals period cumulative'),
    returning_entity: 'retentionFilter.returningEntity',
    target_entity: 'retentionFilter.targetEntity',
  },
  PATHS: {
    ...GROUP,
    ...section(
      'pathsFilter',
      'include_event_types start_point end_point path_groupings edge_limit min_edge_weight max_edge_weight step_limit local_path_cleaning_filters',
    ),
    exclude_events: 'pathsFilter.excludeEvents',
  },
  STICKINESS: { interval: 'interval', ...COMPARE },
  LIFECYCLE: { interval: 'interval', ...GROUP },
};

/** Members that are display options, or state of PostHog's pages. They do not change the query. */
const DISPLAY_OPTIONS =
  /^(show|hide|hidden|toggled|aggregation_axis|y_axis|decimal_places|layout|goal_lines|entity_type|new_entity|funnel_step_reference|funnel_advanced|retention_reference|display|insight|events|actions|client_query_id|refresh|user_basic|date_label)|_scale_type$/;

const EVENT_MEMBERS: ReadonlySet<string> = new Set(
  'event name custom_name math math_property math_property_type math_group_type_index properties optionalInFunnel'.split(' '),
);
/** Members of an event that are its position or display options. */
const EVENT_DISPLAY: ReadonlySet<string> = new Set([
  'id',
  'type',
  'order',
  'index',
  'uuid',
  'kind',
  'distinct_id_field',
  'timestamp_field',
]);

/**
 * Translates filters, the older form of a query. Null: the filters have nothing but a kind of insight.
 * @throws ApiError invalid_input: names the member that no query has
 */
export function queryOfFilters(filters: JsonObject): JsonObject | null {
  if (Object.entries(filters).every(([name, value]) => name === 'insight' || isEmpty(value))) return null;
  const insight = insightOf(filters);
  const source: JsonObject = { kind: KINDS[insight] };
  if (insight !== 'RETENTION' && insight !== 'PATHS') source['series'] = seriesOf(filters);
  const places = { ...COMMON, ...PLACES[insight] };
  for (const [name, value] of Object.entries(filters)) {
    const place = places[name];
    if (place) put(source, place, memberValue(insight, name, value));
    else if (!isEmpty(value) && !DISPLAY_OPTIONS.test(name))
      refuse(name, `This member of filters cannot be asked of a ${KINDS[insight]}.`);
  }
  if (
    isEmpty(source['breakdownFilter'] && Object(source['breakdownFilter']).breakdown) &&
    !Object(source['breakdownFilter']).breakdowns
  ) {
    delete source['breakdownFilter'];
  }
  try {
    validate(querySchema, source);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { attr, detail } = error.body;
    throw new ApiError('invalid_input', attr ? `As a ${KINDS[insight]}, at ${attr}: ${detail}` : detail, 'filters');
  }
  return { kind: 'InsightVizNode', source };
}

function insightOf({ insight, shown_as: shownAs }: JsonObject): Insight {
  if (insight === undefined || insight === null || insight === '') return 'TRENDS';
  const name = String(insight).toUpperCase();
  if (name === 'TRENDS' && (shownAs === 'Stickiness' || shownAs === 'Lifecycle'))
    return shownAs === 'Lifecycle' ? 'LIFECYCLE' : 'STICKINESS';
  return isInsight(name)
    ? name
    : refuse('insight', `"${name.slice(0, 100)}" is not a kind of insight that can be asked as a query.`);
}

const isInsight = (name: string): name is Insight => name in KINDS;

function seriesOf({ events, actions }: JsonObject): Json {
  const place = ({ order }: JsonObject) => (typeof order === 'number' ? order : 0);
  const nodes = (list: Json | undefined, name: string) =>
    (Array.isArray(list) ? list : [])
      .filter(isObject)
      .toSorted((a, b) => place(a) - place(b))
      .map((one, index) => ({ order: place(one), node: nodeOf(one, `${name}__${index}`, name) }));
  return [...nodes(events, 'events'), ...nodes(actions, 'actions')].toSorted((a, b) => a.order - b.order).map(({ node }) => node);
}

/** An event or action of filters as a series. `id` null: all events. */
function nodeOf(event: JsonObject, at: string, list = 'events'): JsonObject {
  const { id = null, type = list } = event;
  if (type !== 'events' && type !== 'actions') return refuse(`${at}__type`, 'Only events and actions can be queried.');
  const members = Object.entries(event).filter(([name, value]) => {
    if (EVENT_MEMBERS.has(name)) return true;
    if (!EVENT_DISPLAY.has(name) && !isEmpty(value))
      refuse(`${at}__${name}`, 'This member of an event cannot be asked as a query.');
    return false;
  });
  if (type === 'actions') return { kind: 'ActionsNode', id, ...Object.fromEntries(members) };
  return { kind: 'EventsNode', event: typeof id === 'number' ? String(id) : id, ...Object.fromEntries(members) };
}

function memberValue(insight: Insight, name: string, value: Json): Json {
  if (name === 'retention_type' && typeof value === 'string') return value;
  if (name === 'exclusions' && Array.isArray(value)) {
    return value.filter(isObject).map(({ funnel_from_step: from = 0, funnel_to_step: to = 0, ...event }, index) => ({
      ...nodeOf(event, `exclusions__${index}`),
      funnelFromStep: from,
      funnelToStep: to,
    }));
  }
  if (name === 'breakdown' && insight !== 'TRENDS' && Array.isArray(value) && value.length === 1) return value[0] ?? null;
  return value;
}

/** Puts a value where a path such as `dateRange.date_from` leads. */
function put(query: JsonObject, path: string, value: Json): void {
  if (value === null) return;
  const [first = '', second] = path.split('.');
  if (second === undefined) query[first] = value;
  else query[first] = { ...(isObject(query[first]) ? query[first] : {}), [second]: value };
}

function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === undefined || value === null || value === false || value === '';
}

function refuse(member: string, detail: string): never {
  throw new ApiError('invalid_input', detail, `filters__${member}`);
}
