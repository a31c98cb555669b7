import { type SqlBool, sql } from 'kysely';
import type { Page } from '../../http/pagination.js';
import { likePattern } from '../../kernel/sql.js';
import type { Db } from '../../ports/db.js';
import type { ListQuery } from './schema.js';

const columns = [
  'id',
  'project_id',
  'template_name',
  'dashboard_description',
  'dashboard_filters',
  'tags',
  'tiles',
  'variables',
  'image_url',
  'scope',
  'deleted',
  'created_by',
  'created_at',
] as const;

/** A row of the table `dashboard_templates`. */
export type TemplateRow = NonNullable<Awaited<ReturnType<typeof readTemplateRow>>>;

/** The templates that a project can use: its own and those of the instance. */
const reachable = (db: Db, projectId: number) =>
  db.selectFrom('dashboard_templates').where((w) => w.or([w('project_id', '=', projectId), w('project_id', 'is', null)]));

/** Lists a page of the templates that a project can use, by name; `count` is that of all pages. */
export async function listTemplates(db: Db, projectId: number, { scope, search }: ListQuery, page: Page) {
  let found = reachable(db, projectId).where('deleted', '=', false);
  if (scope === 'team') found = found.where('project_id', 'is not', null);
  if (scope === 'global') found = found.where('project_id', 'is', null).where('scope', '<>', 'feature_flag');
  if (scope === 'feature_flag') found = found.where('scope', '=', scope);
  if (search) found = found.where(matches(search));
  const [{ count }, rows] = await Promise.all([
    found.select((e) => e.fn.countAll<number>().as('count')).executeTakeFirstOrThrow(),
    found.select(columns).orderBy('template_name').orderBy('id').limit(page.limit).offset(page.offset).execute(),
  ]);
  return { count, rows };
}

function matches(search: string) {
  const part = likePattern(search);
  return sql<SqlBool>`(template_name ilike ${part} or dashboard_description ilike ${part} or ${search.toLowerCase()} = any(tags))`;
}

/** Finds a template by its name; the project's own has precedence over one of the instance. */
export const findTemplateByName = (db: Db, projectId: number, name: string): Promise<TemplateRow | undefined> =>
  reachable(db, projectId)
    .select(columns)
    .where('deleted', '=', false)
    .where('template_name', '=', name)
    .orderBy(sql`project_id nulls last`)
    .limit(1)
    .executeTakeFirst();

/** Reads a template that the project can use, deleted or not. */
export const readTemplateRow = (db: Db, projectId: number, id: string) =>
  reachable(db, projectId).select(columns).where('id', '=', id).executeTakeFirst();

/** The columns that updates can change, with JSON as text. */
export interface TemplateColumns {
  template_name: string;
  dashboard_description: string;
  dashboard_filters: string;
  tags: string[];
  tiles: string;
  variables: string;
  image_url: string | null;
  scope: string;
  deleted: boolean;
}

/** Inserts a template of a project. If the name is taken, a unique constraint fails. */
export const insertTemplate = (
  db: Db,
  projectId: number,
  row: Omit<TemplateColumns, 'deleted'> & { id: string; created_by: number; created_at: Date },
): Promise<TemplateRow> =>
  db
    .insertInto('dashboard_templates')
    .values({ ...row, project_id: projectId })
    .returning(columns)
    .executeTakeFirstOrThrow();

/** Reads a template of the project, deleted or not, and locks it until the transaction ends. */
export const lockTemplate = (db: Db, projectId: number, id: string): Promise<TemplateRow | undefined> =>
  db
    .selectFrom('dashboard_templates')
    .select(columns)
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();

/** Updates a template of the project; undefined fields stay. If the name is taken, a unique constraint fails. */
export const updateTemplate = (
  db: Db,
  projectId: number,
  id: string,
  change: { [Column in keyof TemplateColumns]?: TemplateColumns[Column] | undefined },
): Promise<TemplateRow> =>
  db
    .updateTable('dashboard_templates')
    .set(change)
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirstOrThrow();
