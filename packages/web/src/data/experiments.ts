import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query';
import { ask } from './answer.js';
import { api, type Schemas, unwrap } from './api.js';

/** Without fields that are always null, which the client leaves out of its types. */
export type Experiment = Omit<Schemas['Experiment'], 'exposure_cohort' | 'scheduling_config'>;
export type ExperimentResults = Awaited<ReturnType<typeof fetchResults>>;
export type MetricResult = ExperimentResults['metrics'][number];
export type ExperimentStatus = Experiment['status'];
export type Conclusion = 'won' | 'lost' | 'inconclusive' | 'stopped_early' | 'invalid';

/** Which experiments a list has. */
export interface ExperimentFilter {
  /** Part of the name, the description or the key of the flag. */
  search?: string;
  status?: ExperimentStatus;
  archived?: boolean;
}

/** Fields of an experiment that a request may set. */
export interface ExperimentFields {
  name?: string;
  description?: string;
  feature_flag_key?: string;
  parameters?: Record<string, unknown>;
  metrics?: Record<string, unknown>[];
  metrics_secondary?: Record<string, unknown>[];
  exposure_criteria?: Record<string, unknown>;
  stats_config?: Record<string, unknown>;
  archived?: boolean;
  deleted?: boolean;
  /** The version that the change starts from: the change is a 409 if the experiment has another by now. */
  version?: number;
}

const PAGE = 100;
const key = (project: string, id: number) => ['project', project, 'experiment', id];
const within = (project: string, id: number) => ({ path: { project_id: project, id: String(id) } });

/** Experiments, the newest first, in pages of 100. */
export const experimentsQuery = (project: string, { search, status, archived = false }: ExperimentFilter = {}) =>
  infiniteQueryOptions({
    queryKey: ['project', project, 'experiments', { search, status, archived }],
    queryFn: ({ signal, pageParam }) => {
      const query = { limit: PAGE, offset: pageParam, archived, ...(search && { search }), ...(status && { status }) };
      return unwrap(
        api.GET('/api/environments/{project_id}/experiments/', {
          params: { path: { project_id: project }, query: query as never },
          signal,
        }),
      );
    },
    initialPageParam: 0,
    getNextPageParam: ({ next }, _pages, offset) => (next ? offset + PAGE : undefined),
  });

export const experimentQuery = (project: string, id: number) =>
  queryOptions({
    queryKey: key(project, id),
    queryFn: ({ signal }) =>
      unwrap(api.GET('/api/environments/{project_id}/experiments/{id}/', { params: within(project, id), signal })),
  });

const fetchResults = (project: string, id: number, signal: AbortSignal) =>
  unwrap(api.GET('/api/environments/{project_id}/experiments/{id}/results/', { params: within(project, id), signal }));

/** The results of all metrics of an experiment that has started. */
export const experimentResultsQuery = (project: string, id: number) =>
  queryOptions({
    queryKey: [...key(project, id), 'results'],
    queryFn: ({ signal }) => fetchResults(project, id, signal),
    staleTime: 30_000,
  });

export const createExperiment = (project: string, fields: ExperimentFields) =>
  unwrap(
    api.POST('/api/environments/{project_id}/experiments/', { params: { path: { project_id: project } }, body: fields as never }),
  );

export const updateExperiment = (project: string, id: number, fields: ExperimentFields) =>
  unwrap(api.PATCH('/api/environments/{project_id}/experiments/{id}/', { params: within(project, id), body: fields as never }));

/** A change of stage. */
export type Stage = 'launch' | 'pause' | 'resume' | 'reset';

export const changeStage = (project: string, id: number, stage: Stage): Promise<Experiment> =>
  unwrap(api.POST(`/api/environments/{project_id}/experiments/{id}/${stage}/` as const, { params: within(project, id) }));

/** How an experiment ends: what came of it, and why. */
export interface Ending {
  conclusion: Conclusion | null;
  conclusion_comment: string;
}

export const endExperiment = (project: string, id: number, ending: Ending) =>
  unwrap(api.POST('/api/environments/{project_id}/experiments/{id}/end/', { params: within(project, id), body: ending }));

export const shipVariant = (project: string, id: number, variant: string, ending: Ending) =>
  unwrap(
    api.POST('/api/environments/{project_id}/experiments/{id}/ship_variant/', {
      params: within(project, id),
      body: { variant_key: variant, ...ending },
    }),
  );

export const duplicateExperiment = (project: string, id: number) =>
  unwrap(api.POST('/api/environments/{project_id}/experiments/{id}/duplicate/', { params: within(project, id), body: {} }));

/** Puts a changed experiment where it is shown, and makes lists, results and its flag load anew. */
export async function noteExperiment(queries: QueryClient, project: string, experiment: Experiment): Promise<void> {
  queries.setQueryData(key(project, experiment.id), experiment);
  await queries.invalidateQueries({
    predicate: ({ queryKey: [, of, kind, id, part] }) =>
      of === project &&
      (kind === 'experiments' ||
        kind === 'flags' ||
        kind === 'flag' ||
        (kind === 'experiment' && id === experiment.id && !!part)),
  });
}

export interface Plan {
  metric_type: 'mean' | 'funnel';
  /** A share from 0 to 1, or a mean. */
  baseline: number;
  standard_deviation: number | null;
  goal: 'increase' | 'decrease';
  /** In percent of the baseline. */
  minimum_detectable_effect: number;
  confidence_level: number;
  variants: number;
  exposures_per_day: number | null;
}

/** How many people and days an experiment takes. @param plan null: not all of it is known yet */
export const runningTimeQuery = (project: string, plan: Plan | null) =>
  queryOptions({
    queryKey: ['project', project, 'running-time', plan],
    queryFn: ({ signal }) =>
      unwrap(
        api.POST('/api/environments/{project_id}/experiments/running_time/', {
          params: { path: { project_id: project } },
          body: plan as never,
          signal,
        }),
      ),
    enabled: plan !== null,
    staleTime: 60_000,
  });

/** What an event was like before an experiment. */
export interface Baseline {
  /** People with any event in the last seven days. */
  people: number;
  /** Share of them with the event. */
  share: number;
  /** Events a person, and their standard deviation. */
  mean: number;
  deviation: number;
}

/** Measures an event over the last seven days. @param event null: every event */
export const baselineQuery = (project: string, event: string | null) =>
  queryOptions({
    queryKey: ['project', project, 'baseline', event],
    queryFn: async ({ signal }): Promise<Baseline> => {
      const own = event === null ? 'count()' : 'countIf(event = {event})';
      const query = `select count(), avg(n > 0), avg(n), stddevPop(n) from (select person_id, ${own} as n from events where timestamp > now() - interval 7 day group by person_id)`;
      const { results } = await ask(project, { kind: 'HogQLQuery', query, values: { event: event ?? '' } }, 'blocking', signal);
      const [people = 0, share = 0, mean = 0, deviation = 0] = (results as (number | null)[][])[0] ?? [];
      return { people: people ?? 0, share: share ?? 0, mean: mean ?? 0, deviation: deviation ?? 0 };
    },
    staleTime: 60_000,
  });

/** Which metrics of an experiment an insight shows, by uuid: one with its variants, or several in one picture. */
export type MetricSelection = { metric_uuid: string } | { metric_uuids: readonly string[] };

/**
 * The insight that shows the results of metrics, for sharing; it is made when there is none. It is not in the list of saved insights.
 * @returns its number
 */
export async function insightOfMetrics(
  project: string,
  experiment: number,
  metrics: MetricSelection,
  name: string,
): Promise<number> {
  const path = { project_id: project };
  const query = { search: name, limit: 100 };
  const found = await unwrap(api.GET('/api/environments/{project_id}/insights/', { params: { path, query: query as never } }));
  const source = { kind: 'ExperimentQuery', experiment_id: experiment, ...metrics };
  const isIt = (node: unknown): boolean => {
    const { source: own } = (node ?? {}) as { source?: Record<string, unknown> };
    const selection = own?.['metric_uuids'] ? { metric_uuids: own['metric_uuids'] } : { metric_uuid: own?.['metric_uuid'] };
    const isSame = JSON.stringify(selection) === JSON.stringify(metrics);
    return own?.['kind'] === source.kind && own['experiment_id'] === experiment && isSame;
  };
  const before = found.results.find((one) => isIt(one.query));
  if (before) return before.id;
  const body = { name, query: { kind: 'InsightVizNode', source }, saved: false };
  const made = await unwrap(api.POST('/api/environments/{project_id}/insights/', { params: { path }, body: body as never }));
  return made.id;
}
