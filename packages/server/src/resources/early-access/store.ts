import { sql } from 'kysely';
import { jsonColumn } from '../../http/json-column.js';
import type { Page } from '../../http/pagination.js';
import { selectPage } from '../../http/select-page.js';
import type { JsonObject } from '../../kernel/json.js';
import type { Db, DbTransaction } from '../../ports/db.js';
import { type LinkedFlag, linkedFlagJson } from '../feature-flags/index.js';
import type { Stage } from './schema.js';

/** The fields that updates can change. */
export interface FeatureState {
  name: string;
  description: string;
  stage: Stage;
  documentation_url: string;
  payload: JsonObject;
}

/** A feature with its flag. */
export interface FeatureRow extends FeatureState {
  id: string;
  created_at: Date;
  /** Null: the flag's row is deleted. */
  feature_flag: LinkedFlag | null;
}

const COLUMNS = sql`
  e.id, e.name, e.description, e.stage, e.documentation_url, e.payload, e.created_at,
    ${linkedFlagJson('f')} as feature_flag`;
const TABLES = sql`early_access_features e left join feature_flags f on f.id = e.feature_flag_id`;

export async function readFeature(db: Db, projectId: number, id: string): Promise<FeatureRow | null> {
  const { rows } = await sql<FeatureRow>`
    select ${COLUMNS} from ${TABLES} where e.project_id = ${projectId} and e.id = ${id}`.execute(db);
  return rows[0] ?? null;
}

/** Lists a page of features, newest first. */
export const listFeatures = (db: Db, projectId: number, page: Page) =>
  selectPage<FeatureRow>(
    db,
    { columns: COLUMNS, from: TABLES, where: [sql`e.project_id = ${projectId}`], orderBy: sql`e.created_at desc, e.id desc` },
    page,
  );

export async function insertFeature(
  tx: DbTransaction,
  projectId: number,
  { payload, ...state }: FeatureState & { id: string; feature_flag_id: number; created_by: number },
  now: Date,
): Promise<void> {
  await tx
    .insertInto('early_access_features')
    .values({ ...state, payload: jsonColumn(payload), project_id: projectId, created_at: now, updated_at: now })
    .execute();
}

export async function updateFeature(
  tx: DbTransaction,
  projectId: number,
  id: string,
  { payload, ...state }: FeatureState,
  now: Date,
): Promise<void> {
  await tx
    .updateTable('early_access_features')
    .set({ ...state, payload: jsonColumn(payload), updated_at: now })
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .execute();
}

export async function deleteFeature(tx: DbTransaction, projectId: number, id: string): Promise<void> {
  await tx.deleteFrom('early_access_features').where('project_id', '=', projectId).where('id', '=', id).execute();
}
