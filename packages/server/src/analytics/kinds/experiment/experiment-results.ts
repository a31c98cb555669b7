import { isoTime } from '../../../http/dates.js';
import { validate } from '../../../http/validate.js';
import { ApiError } from '../../../kernel/errors.js';
import { isObject, type JsonObject } from '../../../kernel/json.js';
import type { EventsStore } from '../../../ports/events.js';
import { MATCH_ALL } from '../../filter.js';
import { type Comparison, compare, type Judgement, metricValue } from './comparison.js';
import {
  baselineOf,
  comparedVariants,
  type ExperimentData,
  type ExperimentStatus,
  statusOf,
  type Variant,
} from './experiment-data.js';
import {
  type Exposure,
  type Exposures,
  exposureSchema,
  type Metric,
  type MetricSums,
  metricSchema,
} from './experiment-schema.js';
import { type ExperimentContext, runExposures, runMetric } from './run-experiment.js';
import { DEFAULT_EFFECT, type Pace, type RunningTime, runningTime } from './running-time.js';
import { type SampleRatio, sampleRatio } from './sample-ratio.js';

const DAY = 86_400_000;
/** The number of last days that give the rate of exposures. */
const RECENT_DAYS = 7;

/** The results of an experiment. Each of its metrics that was requested has an entry. */
export interface ExperimentResults {
  experiment_id: number;
  status: ExperimentStatus;
  date_from: string;
  date_to: string;
  baseline: string;
  method: Judgement['method'];
  confidence_level: number;
  multiple_variant_handling: Exposure['several'];
  exposures: {
    total: number;
    variants: Record<string, number>;
    multiple: number;
    daily: { variant: string; days: string[]; counts: number[] }[];
    sample_ratio: SampleRatio | null;
  };
  metrics: MetricResult[];
  metrics_secondary: MetricResult[];
}

export interface MetricResult {
  uuid: string | null;
  name: string | null;
  metric_type: Metric['type'] | null;
  goal: Metric['goal'] | null;
  /** Why it cannot be computed. */
  error: string | null;
  variants: VariantResult[];
  running_time: RunningTime | null;
}

interface VariantResult {
  key: string;
  is_baseline: boolean;
  exposures: number;
  samples: number;
  sum: number | null;
  denominator: number | null;
  value: number | null;
  step_counts: number[] | null;
  comparison: Comparison | null;
}

/** Metrics of an experiment, as they are stored. */
export type MetricSelection = Pick<ExperimentData, 'metrics' | 'metrics_secondary'>;

/** The inputs of the results of an experiment. */
interface Setting {
  exposure: Exposure;
  variants: readonly Variant[];
  baseline: string;
  judgement: Judgement;
  context: ExperimentContext;
}

/**
 * Computes the results of an experiment until now or its end, for some of its metrics.
 * @throws ApiError invalid_input: it has not started
 */
export async function experimentResults(
  events: EventsStore,
  experiment: ExperimentData,
  { metrics, metrics_secondary }: MetricSelection,
  context: ExperimentContext,
): Promise<ExperimentResults> {
  const setting = settingOf(experiment, context);
  const { exposure, variants, judgement } = setting;
  const recentFrom = Math.max(exposure.from, exposure.to - RECENT_DAYS * DAY);
  const exposures = await runExposures(events, exposure, recentFrom, context);
  const pace = paceOf(experiment, setting, exposures, recentFrom);
  // one after the other, because each may read all events of the project
  const each = async (list: readonly JsonObject[]): Promise<MetricResult[]> => {
    const results: MetricResult[] = [];
    for (const metric of list) results.push(await metricResult(events, setting, metric, pace));
    return results;
  };
  return {
    experiment_id: experiment.id,
    status: statusOf(experiment),
    date_from: isoTime(new Date(exposure.from)),
    date_to: isoTime(new Date(exposure.to)),
    baseline: setting.baseline,
    method: judgement.method,
    confidence_level: judgement.confidence,
    multiple_variant_handling: exposure.several,
    exposures: exposuresView(variants, exposures, experiment),
    metrics: await each(metrics),
    metrics_secondary: await each(metrics_secondary),
  };
}

function settingOf(experiment: ExperimentData, context: ExperimentContext): Setting {
  const variants = comparedVariants(experiment);
  const baseline = baselineOf(variants);
  if (!experiment.start_date || baseline === null)
    throw new ApiError('invalid_input', 'This experiment has not started: there are no results yet.');
  const criteria = validate(exposureSchema, experiment.exposure_criteria);
  const { now } = context;
  return {
    variants,
    baseline,
    judgement: judgementOf(experiment.stats_config),
    exposure: {
      flagKey: experiment.flag.key,
      variants: variants.map(({ key }) => key),
      from: experiment.start_date.getTime(),
      to: Math.min(experiment.end_date?.getTime() ?? now, now),
      event: null,
      properties: MATCH_ALL,
      ...criteria.exposure_config,
      filterTestAccounts: criteria.filterTestAccounts,
      several: criteria.multiple_variant_handling ?? 'exclude',
    },
    context,
  };
}

function judgementOf({ method, bayesian, frequentist }: JsonObject): Judgement {
  const level = isObject(bayesian) ? bayesian['ci_level'] : undefined;
  const alpha = isObject(frequentist) ? frequentist['alpha'] : undefined;
  if (method === 'frequentist') return { method, confidence: 1 - (typeof alpha === 'number' ? alpha : 0.05) };
  return { method: 'bayesian', confidence: typeof level === 'number' ? level : 0.95 };
}

function paceOf(
  experiment: ExperimentData,
  { variants, exposure, judgement }: Setting,
  exposures: Exposures,
  recentFrom: number,
): Pace {
  const { minimum_detectable_effect: effect } = experiment.parameters;
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

function exposuresView(variants: readonly Variant[], { totals, several, days }: Exposures, { flag }: ExperimentData) {
  return {
    total: sum(totals.values()),
    variants: Object.fromEntries(variants.map(({ key }) => [key, totals.get(key) ?? 0])),
    multiple: several,
    daily: variants.map(({ key }) => {
      const own = [...(days.get(key) ?? [])].toSorted(([a], [b]) => (a < b ? -1 : 1));
      return { variant: key, days: own.map(([day]) => day), counts: own.map(([, count]) => count) };
    }),
    sample_ratio: sampleRatio(variants, totals, flag.filters),
  };
}

/** The result of one metric. Errors of the metric are a part of it, so that the others still have results. */
async function metricResult(events: EventsStore, setting: Setting, stored: JsonObject, pace: Pace): Promise<MetricResult> {
  const uuid = typeof stored['uuid'] === 'string' ? stored['uuid'] : null;
  const name = typeof stored['name'] === 'string' ? stored['name'] : null;
  try {
    const metric = validate(metricSchema, stored);
    const sums = await runMetric(events, metric, setting.exposure, setting.context);
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
