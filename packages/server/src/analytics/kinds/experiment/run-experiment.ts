import type { Db } from '../../../ports/db.js';
import type { EventsStore } from '../../../ports/events.js';
import { createKindContext, loadQueryMetadata } from '../../context.js';
import { createExecute } from '../../execute.js';
import type { FilterGroup } from '../../filter.js';
import type { KindContext } from '../kind.js';
import type { Exposure, Exposures, Metric, MetricSums } from './experiment-schema.js';
import { exposuresStatement, metricStatement, SEVERAL } from './experiment-sql.js';

/** Tenant, time and cancellation of an experiment's query. */
export interface ExperimentContext {
  projectId: number;
  timezone: string;
  /** Epoch milliseconds. */
  now: number;
  /** Source of cohorts and actions. */
  db: Db;
  /** Aborting it stops the statement in the engine. */
  signal?: AbortSignal;
}

/**
 * Counts the exposed persons by variant, in one statement; recent ones since `recentFrom` (epoch milliseconds).
 * @throws ApiError invalid_input if the query exceeds a limit
 */
export async function runExposures(
  events: EventsStore,
  exposure: Exposure,
  recentFrom: number,
  experiment: ExperimentContext,
): Promise<Exposures> {
  const context = await contextOfFilters(events, [exposure.properties], exposure, experiment);
  const statement = exposuresStatement(exposure, recentFrom, context);
  const rows = await createExecute(
    events,
    experiment.projectId,
    experiment.signal,
  )<{ variant: string; day: string; persons: number; recent: number }>(statement);
  const found: Exposures = { totals: new Map(), recent: new Map(), several: 0, days: new Map() };
  const add = (map: Map<string, number>, key: string, count: number) => map.set(key, (map.get(key) ?? 0) + count);
  for (const { variant, day, persons, recent } of rows) {
    if (variant === SEVERAL) {
      found.several += persons;
      continue;
    }
    add(found.totals, variant, persons);
    add(found.recent, variant, recent);
    const days = found.days.get(variant) ?? new Map<string, number>();
    found.days.set(variant, days.set(day, persons));
  }
  return found;
}

/**
 * Sums a metric over the people of each variant, in one statement. Variants without exposures are missing.
 * @throws ApiError invalid_input if the query exceeds a limit
 */
export async function runMetric(
  events: EventsStore,
  metric: Metric,
  exposure: Exposure,
  experiment: ExperimentContext,
): Promise<Map<string, MetricSums>> {
  const context = await contextOfFilters(events, [exposure.properties, ...filtersOf(metric)], exposure, experiment);
  const rows = await createExecute(
    events,
    experiment.projectId,
    experiment.signal,
  )<Record<string, number> & { variant: string }>(metricStatement(metric, exposure, context));
  const steps = metric.type === 'funnel' ? metric.steps.map((_, index) => `step${index}`) : [];
  return new Map(
    rows
      .filter(({ variant }) => variant !== SEVERAL)
      .map((row) => [
        row.variant,
        {
          exposures: row['exposures'] ?? 0,
          samples: row['samples'] ?? 0,
          // of a funnel every person is 1 or 0; sums too large for the engine come as null
          sum: numberOf(row, metric.type === 'funnel' ? 'samples' : 'sum'),
          squares: numberOf(row, metric.type === 'funnel' ? 'samples' : 'squares'),
          otherSum: metric.type === 'ratio' ? numberOf(row, 'otherSum') : 0,
          otherSquares: metric.type === 'ratio' ? numberOf(row, 'otherSquares') : 0,
          products: metric.type === 'ratio' ? numberOf(row, 'products') : 0,
          steps: steps.map((step) => row[step] ?? 0),
        },
      ]),
  );
}

const numberOf = (row: Record<string, unknown>, name: string): number => {
  const value = row[name];
  return typeof value === 'number' ? value : Number.NaN;
};

/** The filters of the events of a metric. */
export function filtersOf(metric: Metric): FilterGroup[] {
  if (metric.type === 'mean') return [metric.source.properties];
  if (metric.type === 'ratio') return [metric.numerator.properties, metric.denominator.properties];
  return metric.steps.map(({ properties }) => properties);
}

const contextOfFilters = async (
  events: EventsStore,
  filters: readonly FilterGroup[],
  { filterTestAccounts }: Exposure,
  experiment: ExperimentContext,
): Promise<KindContext> =>
  createKindContext(events, filters, experiment, await loadQueryMetadata(filters, experiment, filterTestAccounts));
