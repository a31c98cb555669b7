import { z } from 'zod';
import { integer, uuid } from '../../../http/fields.js';
import { ApiError } from '../../../kernel/errors.js';
import type { JsonObject } from '../../../kernel/json.js';
import type { EventsStore } from '../../../ports/events.js';
import type { QueryContext } from '../../context.js';
import { absent } from '../../fields.js';
import type { FilterGroup } from '../../filter.js';
import { type ExperimentData, readExperimentData, statusOf } from './experiment-data.js';
import { type ExperimentResults, experimentResults, type MetricSelection } from './experiment-results.js';
import { exposureSchema, metricField, metricSchema } from './experiment-schema.js';
import { filtersOf } from './run-experiment.js';

/** The results of one or several metrics of an experiment. */
export interface ExperimentQuery {
  kind: 'ExperimentQuery';
  experimentId: number;
  /** A metric to compute as it is written here. */
  metric: JsonObject | null;
  /** One of the experiment; null: its first one. */
  metricUuid: string | null;
  /** Several of the experiment; null: one. */
  metricUuids: string[] | null;
}

const MAX_METRICS = 50;

/** The results of one or several metrics of an experiment. */
export const experimentQuerySchema = z
  .object({
    kind: z.literal('ExperimentQuery').describe('Compares the variants of an experiment by one metric, or by several.'),
    experiment_id: integer().describe('Number of the experiment. Its dates, exposure criteria and method apply.'),
    metric_uuid: absent(uuid()).describe(
      'The metric of the experiment, by its `uuid`, as it is defined when the query is computed; by default the first one.',
    ),
    metric_uuids: absent(
      z
        .array(uuid(), 'Expected a list of UUIDs.')
        .min(1, 'At least one metric is required.')
        .max(MAX_METRICS, `There may be ${MAX_METRICS} metrics.`),
    ).describe(
      'Several metrics of the experiment instead, such as its guards: one picture with a row for each. Those that were deleted are left out.',
    ),
    metric: absent(metricField).describe('A metric instead of those of the experiment, written in full.'),
  })
  .transform(
    (raw): ExperimentQuery => ({
      kind: 'ExperimentQuery',
      experimentId: raw.experiment_id,
      metric: raw.metric ?? null,
      metricUuid: raw.metric_uuid ?? null,
      metricUuids: raw.metric_uuids ?? null,
    }),
  )
  .meta({ id: 'ExperimentQuery', description: 'Compares the variants of an experiment by one metric, or by several.' });

/** The result of an experiment query: `results` as of `experiments/:id/results/`, with the metrics that were asked for. */
export interface ExperimentQueryResult {
  results: ExperimentResults | NotStarted;
}

/** What a draft has instead of results. */
interface NotStarted extends MetricSelection {
  experiment_id: number;
  status: 'draft';
}

/** A query with the experiment as it is stored: everything besides events that the result depends on. */
export interface ExperimentQuestion {
  experiment: ExperimentData;
  selection: MetricSelection;
}

/** Loads the experiment of a query. @throws ApiError invalid_input: there is no such experiment or metric */
export async function loadExperimentQuestion(
  { experimentId, metric, metricUuid, metricUuids }: ExperimentQuery,
  { db, projectId }: QueryContext,
): Promise<ExperimentQuestion> {
  const experiment = db ? await readExperimentData(db, projectId, experimentId) : null;
  if (!experiment) {
    throw new ApiError('invalid_input', `There is no experiment ${experimentId}.`, 'query__experiment_id');
  }
  const { metrics, metrics_secondary: secondary } = experiment;
  if (metric) return { experiment, selection: { metrics: [metric], metrics_secondary: [] } };
  if (metricUuid === null && metricUuids === null) {
    const [first, second] = [metrics.slice(0, 1), secondary.slice(0, 1)];
    return { experiment, selection: { metrics: first, metrics_secondary: first.length > 0 ? [] : second } };
  }
  const uuids: readonly unknown[] = metricUuids ?? [metricUuid];
  const wanted = (list: readonly JsonObject[]) => list.filter((one) => uuids.includes(one['uuid']));
  const selection = { metrics: wanted(metrics), metrics_secondary: wanted(secondary) };
  if (selection.metrics.length + selection.metrics_secondary.length > 0) return { experiment, selection };
  const field = metricUuids ? 'query__metric_uuids' : 'query__metric_uuid';
  throw new ApiError('invalid_input', 'The experiment has no such metric.', field);
}

/** The filters of the exposure and of the metric, and whether events of tests are left out. */
export function experimentFilters({ experiment, selection }: ExperimentQuestion): {
  filters: FilterGroup[];
  withoutTests: boolean;
} {
  const { data: exposure } = exposureSchema.safeParse(experiment.exposure_criteria);
  const metrics = [...selection.metrics, ...selection.metrics_secondary].flatMap((stored) => {
    const { data } = metricSchema.safeParse(stored);
    return data ? filtersOf(data) : [];
  });
  const exposed = exposure?.exposure_config ? [exposure.exposure_config.properties] : [];
  return { filters: [...exposed, ...metrics], withoutTests: exposure?.filterTestAccounts ?? false };
}

/** Computes the results of the metrics. @throws ApiError invalid_input: the only one cannot be computed */
export async function answerExperiment(
  events: EventsStore,
  { experiment, selection }: ExperimentQuestion,
  { db, projectId, timezone, now, signal }: QueryContext,
): Promise<ExperimentQueryResult> {
  if (!db || statusOf(experiment) === 'draft') {
    return { results: { experiment_id: experiment.id, status: 'draft', metrics: [], metrics_secondary: [] } };
  }
  const context = { projectId, timezone, now, db, ...(signal ? { signal } : {}) };
  const results = await experimentResults(events, experiment, selection, context);
  const [result, ...others] = [...results.metrics, ...results.metrics_secondary];
  if (result?.error && others.length === 0) throw new ApiError('invalid_input', result.error, 'query__metric');
  return { results };
}
