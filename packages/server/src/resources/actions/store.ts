import { sql } from 'kysely';
import { jsonColumn } from '../../http/json-column.js';
import type { Page } from '../../http/pagination.js';
import { containsText, isReadable, type Reader, selectPage } from '../../http/select-page.js';
import type { Json } from '../../kernel/json.js';
import type { Db, DbTransaction } from '../../ports/db.js';

/** A step as it is stored: every field is there, null for those that the request left out. */
export type ActionStep = Record<
  'event' | 'selector' | 'tag_name' | 'text' | 'text_matching' | 'href' | 'href_matching' | 'url' | 'url_matching',
  string | null
> & { properties: Json };

/** The fields that updates can change. */
export interface ActionState {
  name: string | null;
  description: string;
  tags: string[];
  steps: ActionStep[];
  pinned_at: Date | null;
  deleted: boolean;
}

/** A row of the table `actions`. */
export interface ActionRow extends ActionState {
  id: number;
  created_by: number | null;
  created_at: Date;
  updated_at: Date;
}

const COLUMNS = sql.raw('id, name, description, tags, steps, pinned_at, deleted, created_by, created_at, updated_at');

/** Reads an action of the project, deleted or not. */
export async function readAction(db: Db, projectId: number, id: number): Promise<ActionRow | null> {
  const { rows } = await sql<ActionRow>`
    select ${COLUMNS} from actions where project_id = ${projectId} and id = ${id}`.execute(db);
  return rows[0] ?? null;
}

/** Serializes changes of a project's actions until the transaction ends, so that no two actions get the same name. */
export async function lockActions(tx: DbTransaction, projectId: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('actions'), ${projectId}::int)`.execute(tx);
}

/** Finds the id of the action with this name. */
export async function findByName(tx: DbTransaction, projectId: number, name: string): Promise<number | null> {
  const { rows } = await sql<{ id: number }>`
    select id from actions where project_id = ${projectId} and name = ${name} and not deleted`.execute(tx);
  return rows[0]?.id ?? null;
}

/** Lists a page of actions, without those that the access rules hide from `reader`: the latest pins first, then by name. */
export const listActions = (db: Db, projectId: number, reader: Reader, search: string | undefined, page: Page) =>
  selectPage<ActionRow>(
    db,
    {
      columns: COLUMNS,
      from: sql`actions`,
      where: [
        sql`project_id = ${projectId} and not deleted`,
        isReadable('actions', reader),
        ...(search === undefined ? [] : [containsText(search, 'name', 'description')]),
      ],
      orderBy: sql`pinned_at desc nulls last, lower(name), id`,
    },
    page,
  );

const columnsOf = ({ steps, ...plain }: ActionState) => ({ ...plain, steps: jsonColumn(steps) });

export async function insertAction(
  tx: DbTransaction,
  projectId: number,
  { created_by, ...state }: ActionState & { created_by: number },
  now: Date,
): Promise<number> {
  const { id } = await tx
    .insertInto('actions')
    .values({ ...columnsOf(state), created_by, project_id: projectId, created_at: now, updated_at: now })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export async function updateAction(
  tx: DbTransaction,
  projectId: number,
  id: number,
  state: ActionState,
  now: Date,
): Promise<void> {
  await tx
    .updateTable('actions')
    .set({ ...columnsOf(state), updated_at: now })
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .execute();
}
