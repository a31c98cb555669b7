import { type Access, type AccessContext, accessOf } from '../../access/index.js';
import { type Query, querySchema, readExperimentData } from '../../analytics/index.js';
import type { JsonObject } from '../../kernel/json.js';
import type { Db } from '../../ports/db.js';

/*
 * A query may show the results of an experiment, which has access rules of its own. Everything that computes queries of users checks
 * them before it reads a cache: the cached result is the same for everybody.
 */

/** Loads the access of a reader to experiments. */
export type LoadExperimentAccess = () => Promise<Access>;

/** The caller's access to experiments, loaded when a query needs it. */
export const experimentAccessOf =
  (context: AccessContext): LoadExperimentAccess =>
  () =>
    accessOf(context, 'experiment');

/** @throws ApiError permission_denied: the query shows the results of an experiment that is hidden from the reader */
export async function requireExperimentAccess(
  db: Db,
  projectId: number,
  query: Query,
  load: LoadExperimentAccess,
): Promise<void> {
  // without an experiment the query itself fails
  if (query.kind === 'ExperimentQuery') await requireExperiment(db, projectId, query.experimentId, load);
}

/** @throws ApiError permission_denied: the experiment is hidden from the reader */
export async function requireExperiment(db: Db, projectId: number, id: number, load: LoadExperimentAccess): Promise<void> {
  const experiment = await readExperimentData(db, projectId, id);
  if (experiment) (await load()).requireOn(experiment, 'viewer');
}

/** The experiment whose results a stored query shows; null: it shows none. */
export function experimentIn(query: JsonObject | null): number | null {
  const { data } = querySchema.safeParse(query);
  return data?.kind === 'ExperimentQuery' ? data.experimentId : null;
}

/** The experiments in stored queries that are hidden from the reader. */
export async function hiddenExperiments(
  db: Db,
  projectId: number,
  queries: readonly (JsonObject | null)[],
  load: LoadExperimentAccess,
): Promise<ReadonlySet<number>> {
  const hidden = new Set<number>();
  for (const id of new Set(queries.map(experimentIn))) {
    const experiment = id === null ? null : await readExperimentData(db, projectId, id);
    if (experiment && (await load()).levelOn(experiment) === 'none') hidden.add(experiment.id);
  }
  return hidden;
}

/** Whether one of these stored queries shows the results of an experiment that is hidden from the reader. */
export const hidesExperiment = async (...asked: Parameters<typeof hiddenExperiments>): Promise<boolean> =>
  (await hiddenExperiments(...asked)).size > 0;
