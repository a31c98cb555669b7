import { sql } from 'kysely';
import { jsonColumn } from '../../http/json-column.js';
import type { Page } from '../../http/pagination.js';
import { selectPage } from '../../http/select-page.js';
import type { Db } from '../../ports/db.js';
import type { VariableType, VariableValue } from './schema.js';

/** The fields that updates can change. */
export interface VariableState {
  name: string;
  type: VariableType;
  default_value: VariableValue;
  values: string[] | null;
}

/** A variable as it is stored. */
export interface VariableRow extends VariableState {
  id: string;
  code_name: string;
  created_by: number | null;
  created_at: Date;
}

const COLUMNS = sql`v.id, v.name, v.code_name, v.type, v.default_value, v."values", v.created_by, v.created_at`;

/** A page of the variables of a project, by name. @param codeName only the one of this code name */
export const listVariables = (db: Db, projectId: number, codeName: string | undefined, page: Page) =>
  selectPage<VariableRow>(
    db,
    {
      columns: COLUMNS,
      from: sql`insight_variables v`,
      where: [sql`v.project_id = ${projectId}`, ...(codeName === undefined ? [] : [sql`v.code_name = ${codeName}`])],
      orderBy: sql`lower(v.name), v.id`,
    },
    page,
  );

/** Reads a variable. `lock` blocks other writers until the transaction ends. */
export async function readVariable(db: Db, projectId: number, id: string, lock = false): Promise<VariableRow | undefined> {
  const { rows } = await sql<VariableRow>`
    select ${COLUMNS} from insight_variables v where v.project_id = ${projectId} and v.id = ${id}
    ${lock ? sql`for no key update` : sql``}`.execute(db);
  return rows[0];
}

/** How many variables a project has. */
export async function countVariables(db: Db, projectId: number): Promise<number> {
  const { count } = await db
    .selectFrom('insight_variables')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
  return count;
}

const stored = ({ name, type, default_value, values }: VariableState) => ({
  name,
  type,
  default_value: default_value === null ? null : jsonColumn(default_value),
  values: values === null ? null : jsonColumn(values),
});

/** Inserts a variable; violates a unique constraint when the project has one of this code name. */
export async function insertVariable(db: Db, projectId: number, row: VariableRow): Promise<void> {
  const { id, code_name, created_by, created_at } = row;
  await db
    .insertInto('insight_variables')
    .values({ id, project_id: projectId, code_name, created_by, created_at, updated_at: created_at, ...stored(row) })
    .execute();
}

export async function updateVariable(db: Db, projectId: number, id: string, state: VariableState, now: Date): Promise<void> {
  await db
    .updateTable('insight_variables')
    .set({ ...stored(state), updated_at: now })
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .execute();
}

export async function deleteVariable(db: Db, projectId: number, id: string): Promise<void> {
  await db.deleteFrom('insight_variables').where('project_id', '=', projectId).where('id', '=', id).execute();
}
