import type { z } from 'zod';
import {
  type ExperimentContext,
  type Exposure,
  type Exposures,
  exposureSchema,
  type Metric,
  type MetricSums,
  metricSchema,
  runExposures,
  runMetric,
} from '../../analytics/index.js';
import type { ProjectContext } from '../../auth/index.js';
import { isoTime } from '../../http/dates.js';
import { validate } from '../../http/validate.js';
import { ApiError } from '../../kernel/errors.js';
import { isObject, type JsonObject } from '../../kernel/json.js';
import { compare, type Judgement, metricValue } from './comparison.js';
import type { metricResultSchema } from './results-schema.js';
import { DEFAULT_EFFECT, type Pace, runningTime } from './running-time.js';
import { sampleRatio } from './sample-ratio.js';
import { type ExperimentRow, statusOf } from './store.js';
import { baselineOf, comparedVariants, type Variant } from './variants.js';

const DAY = 86_400_000;
/** The number of last days that give the rate of exposures. */
const RECENT_DAYS = 7;

type MetricResult = z.output<typeof metricResultSchema>;

/** The inputs of the results of an experiment. */
interface Setting {
  exposure: Exposure;
  variants: readonly Variant[];
  baseline: string;
  judgement: Judgement;
  context: ExperimentContext;
}

/**
 * Computes the results of an experiment until now or its end; `only`: the uuid of the one metric to compute.
 * @throws ApiError invalid_input: it has not started; not_found: it has no such metric
 */
export async function experimentResults(
  context: ProjectContext,
  row: ExperimentRow,
  only: string | undefined,
  signal: AbortSignal,
) {
  const setting = settingOf(context, row, signal);
  const { exposure, variants, judgement } = setting;
  const { events } = context.deps;
  const wanted = (metrics: readonly JsonObject[]) => metrics.filter(({ uuid }) => only === undefined || uuid === only);
  const [metrics, secondary] = [wanted(row.metrics), wanted(row.metrics_secondary)];
  if (only !== undefined && metrics.length + secondary.length === 0) throw new ApiError('not_found');
  const recentFrom = Math.max(exposure.from, exposure.to - RECENT_DAYS * DAY);
  const exposures = await runExposures(events, exposure, recentFrom, setting.context);
  const pace = paceOf(row, setting, exposures, recentFrom);
  // one after the other, because each may read all events of the project
  const each = async (list: readonly JsonObject[]): Promise<MetricResult[]> => {
    const results: MetricResult[] = [];
    for (const metric of list) results.push(await metricResult(context, setting, metric, pace));
    return results;
  };
  return {
    experiment_id: row.id,
    status: statusOf(row),
    date_from: isoTime(new Date(exposure.from)),
    date_to: isoTime(new Date(exposure.to)),
    baseline: setting.baseline,
    method: judgement.method,
    confidence_level: judgement.confidence,
    multiple_variant_handling: exposure.several,
    exposures: exposuresView(variants, exposures, row),
    metrics: await each(metrics),
    metrics_secondary: await each(secondary),
  };
}

function settingOf({ deps, project }: ProjectContext, row: ExperimentRow, signal: AbortSignal): Setting {
  const variants = comparedVariants(row);
  const baseline = baselineOf(variants);
  if (!row.start_date || baseline === null)
    throw new ApiError('invalid_input', 'This experiment has not started: there are no results yet.');
  const now = deps.clock.now();
  const criteria = validate(exposureSchema, row.exposure_criteria);
  return {
    variants,
    baseline,
    judgement: judgementOf(row.stats_config),
    exposure: {
      flagKey: row.flag.key,
      variants: variants.map(({ key }) => key),
      from: row.start_date.getTime(),
      to: Math.min(row.end_date?.getTime() ?? now, now),
      event: null,
      properties: { type: 'AND', values: [] },
      ...criteria.exposure_config,
      filterTestAccounts: criteria.filterTestAccounts,
      several: criteria.multiple_variant_handling ?? 'exclude',
    },
    context: { projectId: project.id, timezone: project.timezone, now, db: deps.db, signal },
  };
}

function judgementOf({ method, bayesian, frequentist }: JsonObject): Judgement {
  const level = isObject(bayesian) ? bayesian['ci_level'] : undefined;
  const alpha = isObject(frequentist) ? frequentist['alpha'] : undefined;
  if (method === 'frequentist') return { method, confidence: 1 - (typeof alpha === 'number' ? alpha : 0.05) };
  return { method: 'bayesian', confidence: typeof level === 'number' ? level : 0.95 };
}

function paceOf(row: ExperimentRow, { variants, exposure, judgement }: Setting, exposures: Exposures, recentFrom: number): Pace {
  const { minimum_detectable_effect: effect } = row.parameters;
  const shares = variants.map(({ rollout_percentage: share }) => share).filter((share) => share > 0);
  const days = (exposure.to - recentFrom) / DAY;
  return {
    effect: typeof effect === 'number' ? effect : DEFAULT_EFFECT,
    confidence: judgement.confidence,
    smallestShare: shares.length > 0 ? Math.min(...shares) / sum(shares) : 0,
    exposed: sum(exposures.totals.values()),
    perDay: days > 0 ? sum(exposures.recent.values()) / days : 0,
  };
}

function exposuresView(variants: readonly Variant[], { totals, several, days }: Exposures, row: ExperimentRow) {
  return {
    total: sum(totals.values()),
    variants: Object.fromEntries(variants.map(({ key }) => [key, totals.get(key) ?? 0])),
    multiple: several,
    daily: variants.map(({ key }) => {
      const own = [...(days.get(key) ?? [])].toSorted(([a], [b]) => (a < b ? -1 : 1));
      return { variant: key, days: own.map(([day]) => day), counts: own.map(([, count]) => count) };
    }),
    sample_ratio: sampleRatio(variants, totals, row.flag.filters),
  };
}

/** The result of one metric. Errors of the metric are a part of it, so that the others still have results. */
async function metricResult(context: ProjectContext, setting: Setting, stored: JsonObject, pace: Pace): Promise<MetricResult> {
  const uuid = typeof stored['uuid'] === 'string' ? stored['uuid'] : null;
  const name = typeof stored['name'] === 'string' ? stored['name'] : null;
  try {
    const metric = validate(metricSchema, stored);
    const sums = await runMetric(context.deps.events, metric, setting.exposure, setting.context);
    const baseline = sums.get(setting.baseline);
    return {
      uuid,
      name,
      metric_type: metric.type,
      goal: metric.goal,
      error: null,
      variants: setting.variants.map(({ key }) => variantResult(key, metric, setting, sums)),
      running_time: runningTime(metric, baseline, pace),
    };
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    return { uuid, name, metric_type: null, goal: null, error: error.body.detail, variants: [], running_time: null };
  }
}

function variantResult(key: string, metric: Metric, { baseline, judgement }: Setting, found: ReadonlyMap<string, MetricSums>) {
  const sums = found.get(key) ?? noneOf(metric);
  const isBaseline = key === baseline;
  return {
    key,
    is_baseline: isBaseline,
    exposures: sums.exposures,
    samples: sums.samples,
    sum: Number.isFinite(sums.sum) ? sums.sum : null,
    denominator: metric.type === 'ratio' && Number.isFinite(sums.otherSum) ? sums.otherSum : null,
    value: metricValue(metric, sums),
    step_counts: metric.type === 'funnel' ? [sums.exposures, ...sums.steps] : null,
    comparison: isBaseline ? null : compare(metric, found.get(baseline) ?? noneOf(metric), sums, judgement),
  };
}

const noneOf = (metric: Metric): MetricSums => ({
  exposures: 0,
  samples: 0,
  sum: 0,
  squares: 0,
  otherSum: 0,
  otherSquares: 0,
  products: 0,
  steps: metric.type === 'funnel' ? metric.steps.map(() => 0) : [],
});

const sum = (values: Iterable<number>): number => [...values].reduce((all, one) => all + one, 0);
