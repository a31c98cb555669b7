import { sql } from 'kysely';
import type { ExperimentStatus } from '../../analytics/index.js';
import { type User, userJson } from '../../auth/index.js';
import { jsonColumn } from '../../http/json-column.js';
import type { Page } from '../../http/pagination.js';
import { containsText, isReadable, type Reader, selectPage } from '../../http/select-page.js';
import type { JsonObject } from '../../kernel/json.js';
import type { Db } from '../../ports/db.js';
import { type LinkedFlag, linkedFlagJson } from '../feature-flags/index.js';

/** The fields that updates can change. The flag has the others. */
export interface ExperimentState {
  name: string;
  description: string;
  start_date: Date | null;
  end_date: Date | null;
  archived: boolean;
  deleted: boolean;
  /** Has `feature_flag_variants` once the experiment has started, so that later changes of the flag leave the results alone. */
  parameters: JsonObject;
  exposure_criteria: JsonObject;
  metrics: JsonObject[];
  metrics_secondary: JsonObject[];
  stats_config: JsonObject;
  holdout: JsonObject | null;
  conclusion: string | null;
  conclusion_comment: string | null;
  shipped_variant: string | null;
}

/** A row of the table `experiments`, with its flag. */
export interface ExperimentRow extends ExperimentState {
  id: number;
  created_by: number | null;
  author: User | null;
  created_at: Date;
  updated_at: Date;
  version: number;
  /** Who made the version; null: its creator, or somebody who is gone. */
  modifier: User | null;
  flag: LinkedFlag;
}

const columns = sql`e.id, e.name, e.description, e.start_date, e.end_date, e.archived, e.deleted, e.parameters,
  e.exposure_criteria, e.metrics, e.metrics_secondary, e.stats_config, e.holdout, e.conclusion, e.conclusion_comment,
  e.shipped_variant, e.created_by, e.created_at, e.updated_at, e.version,
  (select ${userJson} from users u where u.id = e.created_by) as author,
  (select ${userJson} from users u where u.id = e.last_modified_by) as modifier,
  ${linkedFlagJson('f')} as flag`;
const tables = sql`experiments e join feature_flags f on f.id = e.feature_flag_id`;

/** Reads an experiment of the project, deleted or not. */
export async function readExperiment(db: Db, projectId: number, id: number): Promise<ExperimentRow | null> {
  const { rows } = await sql<ExperimentRow>`
    select ${columns} from ${tables} where e.project_id = ${projectId} and e.id = ${id}`.execute(db);
  return rows[0] ?? null;
}

/** An experiment to insert. */
export interface NewExperiment extends ExperimentState {
  feature_flag_id: number;
  created_by: number;
}

/** Inserts an experiment; resolves to its id. */
export async function insertExperiment(db: Db, projectId: number, experiment: NewExperiment, now: Date): Promise<number> {
  const { feature_flag_id, created_by, ...state } = experiment;
  const { id } = await db
    .insertInto('experiments')
    .values({ ...columnsOf(state), feature_flag_id, created_by, project_id: projectId, created_at: now, updated_at: now })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export async function updateExperiment(db: Db, projectId: number, id: number, state: ExperimentState, now: Date): Promise<void> {
  await db
    .updateTable('experiments')
    .set({ ...columnsOf(state), updated_at: now })
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .execute();
}

/** Counts a change of an experiment that the transaction has locked. */
export async function countChange(db: Db, projectId: number, id: number, userId: number): Promise<void> {
  await db
    .updateTable('experiments')
    .set((e) => ({ version: e('version', '+', 1), last_modified_by: userId }))
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .execute();
}

const columnsOf = (state: ExperimentState) => ({
  ...state,
  parameters: jsonColumn(state.parameters),
  exposure_criteria: jsonColumn(state.exposure_criteria),
  metrics: jsonColumn(state.metrics),
  metrics_secondary: jsonColumn(state.metrics_secondary),
  stats_config: jsonColumn(state.stats_config),
  holdout: state.holdout && jsonColumn(state.holdout),
});

/** Which experiments a list has; undefined fields match all. */
export interface ExperimentFilter {
  search?: string | undefined;
  status?: ExperimentStatus | undefined;
  archived?: boolean | undefined;
  feature_flag_id?: number | undefined;
  created_by?: number | undefined;
}

/** `statusOf` of analytics in SQL; stages.ts has the transitions. */
const STATUS = {
  draft: sql`e.start_date is null`,
  running: sql`e.start_date is not null and e.end_date is null and f.active`,
  paused: sql`e.start_date is not null and e.end_date is null and not f.active`,
  complete: sql`e.start_date is not null and e.end_date is not null`,
};

/** Lists a page of the experiments that are not deleted, newest first, and counts all of them. */
export function listExperiments(db: Db, projectId: number, reader: Reader, filter: ExperimentFilter, page: Page) {
  const where = [sql`e.project_id = ${projectId} and not e.deleted`, isReadable('e', reader)];
  if (filter.status) where.push(STATUS[filter.status]);
  if (filter.archived !== undefined) where.push(sql`e.archived = ${filter.archived}`);
  if (filter.feature_flag_id !== undefined) where.push(sql`e.feature_flag_id = ${filter.feature_flag_id}`);
  if (filter.created_by !== undefined) where.push(sql`e.created_by = ${filter.created_by}`);
  if (filter.search) where.push(containsText(filter.search, 'e.name', 'e.description', 'f.key'));
  return selectPage<ExperimentRow>(db, { columns, from: tables, where, orderBy: sql`e.created_at desc, e.id desc` }, page);
}
