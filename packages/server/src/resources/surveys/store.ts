import type { Survey, SurveyConditions, SurveyQuestion, SurveyTranslations } from '@tidemark/wire';
import { sql } from 'kysely';
import { jsonColumn } from '../../http/json-column.js';
import type { Page } from '../../http/pagination.js';
import { containsText, isReadable, type Reader, selectPage } from '../../http/select-page.js';
import type { JsonObject } from '../../kernel/json.js';
import type { Db, DbTransaction } from '../../ports/db.js';
import { type LinkedFlag, linkedFlagJson } from '../feature-flags/index.js';
import type { SURVEY_STATUSES } from './schema.js';

/** A row of the table `surveys`, with its flags. */
export interface SurveyRow {
  /** Identifies the survey in access rules. */
  id: number;
  uuid: string;
  name: string;
  description: string;
  type: Survey['type'];
  questions: SurveyQuestion[];
  conditions: SurveyConditions | null;
  appearance: JsonObject | null;
  /** Texts of the appearance by language. */
  translations: SurveyTranslations | null;
  linked_flag_id: number | null;
  targeting_flag_id: number | null;
  linked_flag: LinkedFlag | null;
  targeting_flag: LinkedFlag | null;
  /** Whether the survey made the targeting flag, from its targeting filters. */
  owns_targeting_flag: boolean;
  schedule: Survey['schedule'];
  /** Of a recurring survey: the number of iterations, and the days from the start of one to the next. */
  iteration_count: number | null;
  iteration_frequency_days: number | null;
  /** The number of stored answers that ends the survey. */
  responses_limit: number | null;
  enable_partial_responses: boolean;
  start_date: Date | null;
  end_date: Date | null;
  archived: boolean;
  created_by: number | null;
  created_at: Date;
}

/** The fields that updates can change. */
export type SurveyState = Omit<SurveyRow, 'id' | 'uuid' | 'linked_flag' | 'targeting_flag' | 'created_by' | 'created_at'>;

const COLUMNS = sql`
  s.id, s.uuid, s.name, s.description, s.type, s.questions, s.conditions, s.appearance, s.translations, s.linked_flag_id,
    s.targeting_flag_id, s.owns_targeting_flag, s.schedule, s.iteration_count, s.iteration_frequency_days, s.responses_limit,
    s.enable_partial_responses, s.start_date, s.end_date, s.archived, s.created_by, s.created_at,
    ${linkedFlagJson('l')} as linked_flag, ${linkedFlagJson('t')} as targeting_flag`;
const TABLES = sql`
  surveys s
    left join feature_flags l on l.id = s.linked_flag_id
    left join feature_flags t on t.id = s.targeting_flag_id`;
const SURVEYS = sql`select ${COLUMNS} from ${TABLES}`;

/** Reads a survey of the project. */
export async function readSurvey(db: Db, projectId: number, uuid: string): Promise<SurveyRow | null> {
  const { rows } = await sql<SurveyRow>`${SURVEYS} where s.project_id = ${projectId} and s.uuid = ${uuid}`.execute(db);
  return rows[0] ?? null;
}

/** Reads a survey of the project, and locks it until the transaction ends. */
export async function lockSurvey(tx: DbTransaction, projectId: number, uuid: string): Promise<SurveyRow | null> {
  const { rows } = await sql<SurveyRow>`
    ${SURVEYS} where s.project_id = ${projectId} and s.uuid = ${uuid} for update of s`.execute(tx);
  return rows[0] ?? null;
}

/** Which surveys a list has; undefined fields match all. */
export interface SurveyFilter {
  search?: string | undefined;
  /** Their status at a time. */
  status?: (typeof SURVEY_STATUSES)[number] | undefined;
  at: Date;
  archived?: boolean | undefined;
}

/** Conditions: a survey has a status at a time. Its end is later than its start. */
const STATUS = {
  draft: () => sql`s.start_date is null`,
  scheduled: (at: Date) => sql`s.start_date > ${at}`,
  running: (at: Date) => sql`s.start_date <= ${at} and (s.end_date is null or s.end_date > ${at})`,
  ended: (at: Date) => sql`s.end_date <= ${at}`,
};

/** Lists a page of surveys, newest first, without those that the access rules hide from `reader`. */
export function listSurveys(
  db: Db,
  projectId: number,
  reader: Reader,
  { search, status, at, archived }: SurveyFilter,
  page: Page,
) {
  const where = [sql`s.project_id = ${projectId}`, isReadable('s', reader)];
  if (status !== undefined) where.push(STATUS[status](at));
  if (archived !== undefined) where.push(sql`s.archived = ${archived}`);
  if (search !== undefined) where.push(containsText(search, 's.name', 's.description'));
  return selectPage<SurveyRow>(db, { columns: COLUMNS, from: TABLES, where, orderBy: sql`s.created_at desc, s.id desc` }, page);
}

/** Lists the UUIDs of the surveys that the access rules do not hide from `reader`. */
export async function listUuids(db: Db, projectId: number, reader: Reader): Promise<string[]> {
  const { rows } = await sql<{ uuid: string }>`
    select uuid from surveys s where project_id = ${projectId} and ${isReadable('s', reader)}`.execute(db);
  return rows.map(({ uuid }) => uuid);
}

const columnsOf = ({ questions, conditions, appearance, translations, ...plain }: SurveyState) => ({
  ...plain,
  questions: jsonColumn(questions),
  conditions: conditions && jsonColumn(conditions),
  appearance: appearance && jsonColumn(appearance),
  translations: translations && jsonColumn(translations),
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

/** A survey with a limit of answers. */
export interface LimitedSurvey {
  id: number;
  uuid: string;
  name: string;
  project_id: number;
  organization_id: string;
  responses_limit: number;
}

/** Lists the surveys of all projects that run at `now` and have a limit of answers. */
export async function listLimited(db: Db, now: Date): Promise<LimitedSurvey[]> {
  const { rows } = await sql<LimitedSurvey>`
    select s.id, s.uuid, s.name, s.project_id, p.organization_id, s.responses_limit
    from surveys s join projects p on p.id = s.project_id
    where s.responses_limit is not null and not s.archived and s.start_date <= ${now} and (s.end_date is null or s.end_date > ${now})
    order by s.id`.execute(db);
  return rows;
}

/** Ends a survey unless its limit has changed or it has ended already; resolves to whether it did. */
export async function endSurvey(db: Db, projectId: number, id: number, limit: number, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('surveys')
    .set({ end_date: now, updated_at: now })
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .where('responses_limit', '=', limit)
    .where((eb) => eb.or([eb('end_date', 'is', null), eb('end_date', '>', now)]))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
