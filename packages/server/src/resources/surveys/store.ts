import { type RawBuilder, sql } from 'kysely';
import { jsonColumn } from '../../http/json-column.js';
import type { Page } from '../../http/pagination.js';
import type { Db, DbTransaction } from '../../ports/db.js';
import type { SurveyRow, SurveyState } from './row.js';

const flagAs = (table: string) =>
  sql.raw(`case when ${table}.id is null then null else json_build_object('id', ${table}.id, 'key', ${table}.key, 'name', ${table}.name,
    'active', ${table}.active, 'deleted', ${table}.deleted, 'created_by', ${table}.created_by) end`);

const SURVEYS = sql`
  select s.id, s.uuid, s.name, s.description, s.type, s.questions, s.conditions, s.appearance, s.linked_flag_id,
    s.targeting_flag_id, s.start_date, s.end_date, s.archived, s.created_by, s.created_at,
    ${flagAs('l')} as linked_flag, ${flagAs('t')} as targeting_flag
  from surveys s
    left join feature_flags l on l.id = s.linked_flag_id
    left join feature_flags t on t.id = s.targeting_flag_id`;

export async function readSurvey(db: Db, projectId: number, uuid: string): Promise<SurveyRow | null> {
  const { rows } = await sql<SurveyRow>`${SURVEYS} where s.project_id = ${projectId} and s.uuid = ${uuid}`.execute(db);
  return rows[0] ?? null;
}

/** Holds off whoever else wants to change the survey until the transaction ends. */
export async function lockSurvey(tx: DbTransaction, projectId: number, uuid: string): Promise<SurveyRow | null> {
  const { rows } = await sql<SurveyRow>`
    ${SURVEYS} where s.project_id = ${projectId} and s.uuid = ${uuid} for update of s`.execute(tx);
  return rows[0] ?? null;
}

/** Surveys, newest first, without those that the rules hide from `reader`. */
export async function listSurveys(
  db: Db,
  projectId: number,
  reader: { userId: number; hidden: readonly number[] },
  search: string | undefined,
  { limit, offset }: Page,
): Promise<{ count: number; rows: SurveyRow[] }> {
  const conditions: RawBuilder<unknown>[] = [sql`s.project_id = ${projectId}`];
  if (reader.hidden.length > 0) {
    conditions.push(sql`(s.id <> all (${reader.hidden}::int[]) or s.created_by = ${reader.userId})`);
  }
  if (search !== undefined) {
    const pattern = `%${search.replace(/[\\%_]/g, '\\$&')}%`;
    conditions.push(sql`(s.name ilike ${pattern} or s.description ilike ${pattern})`);
  }
  const where = sql.join(conditions, sql` and `);
  const [counted, page] = await Promise.all([
    sql<{ count: number }>`select count(*) as count from surveys s where ${where}`.execute(db),
    sql<SurveyRow>`
      ${SURVEYS} where ${where} order by s.created_at desc, s.id desc limit ${limit} offset ${offset}`.execute(db),
  ]);
  return { count: counted.rows[0]?.count ?? 0, rows: page.rows };
}

const columnsOf = ({ questions, conditions, appearance, ...plain }: SurveyState) => ({
  ...plain,
  questions: jsonColumn(questions),
  conditions: conditions && jsonColumn(conditions),
  appearance: appearance && jsonColumn(appearance),
});

export async function insertSurvey(
  tx: DbTransaction,
  projectId: number,
  { uuid, created_by, ...state }: SurveyState & { uuid: string; created_by: number },
  now: Date,
): Promise<void> {
  await tx
    .insertInto('surveys')
    .values({ ...columnsOf(state), uuid, created_by, project_id: projectId, created_at: now, updated_at: now })
    .execute();
}

export async function updateSurvey(
  tx: DbTransaction,
  projectId: number,
  id: number,
  state: SurveyState,
  now: Date,
): Promise<void> {
  await tx
    .updateTable('surveys')
    .set({ ...columnsOf(state), updated_at: now })
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .execute();
}

export async function deleteSurvey(tx: DbTransaction, projectId: number, id: number): Promise<void> {
  await tx.deleteFrom('surveys').where('project_id', '=', projectId).where('id', '=', id).execute();
}
