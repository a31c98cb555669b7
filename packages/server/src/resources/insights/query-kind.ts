import { isObject } from '../../kernel/json.js';

/** Nodes that wrap a query as their `source`. */
const WRAPPERS: ReadonlySet<unknown> = new Set(['InsightVizNode', 'DataVisualizationNode', 'DataTableNode']);

/** Kinds of queries. */
const SOURCES: ReadonlySet<unknown> = new Set([
  'TrendsQuery',
  'FunnelsQuery',
  'RetentionQuery',
  'PathsQuery',
  'StickinessQuery',
  'LifecycleQuery',
  'FunnelCorrelationQuery',
  'FunnelsActorsQuery',
  'FunnelCorrelationActorsQuery',
  'InsightActorsQuery',
  'InsightActorsQueryOptions',
  'StickinessActorsQuery',
  'EventsQuery',
  'PersonsNode',
  'ActorsQuery',
  'GroupsQuery',
  'SessionsQuery',
  'SessionsTimelineQuery',
  'SessionAttributionExplorerQuery',
  'HogQLQuery',
  'EventsNode',
  'ActionsNode',
  'DataWarehouseNode',
  'WebOverviewQuery',
  'WebStatsTableQuery',
  'WebExternalClicksTableQuery',
  'WebGoalsQuery',
  'WebVitalsQuery',
  'WebVitalsPathBreakdownQuery',
  'WebTrendsQuery',
  'ErrorTrackingQuery',
  'ExperimentQuery',
  'ExperimentTrendsQuery',
  'ExperimentFunnelsQuery',
  'RecordingsQuery',
  'TracesQuery',
]);

/** The error of a value that cannot be the query of an insight, or null. Only kinds are checked: the computation validates the rest. */
export function queryFault(query: unknown): string | null {
  if (!isObject(query)) return 'Expected a query: an object with a kind.';
  const { kind } = query;
  if (WRAPPERS.has(kind)) return isObject(query['source']) ? sourceFault(query['source']['kind']) : `${kind} needs a source.`;
  return sourceFault(kind);
}

function sourceFault(kind: unknown): string | null {
  if (kind === undefined) return 'Expected a query: an object with a kind.';
  return SOURCES.has(kind) ? null : `${JSON.stringify(kind).slice(0, 200)} is not a valid choice.`;
}
