import { sql } from 'kysely';
import type { Db } from '../../ports/db.js';

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

export type TemplateRow = Awaited<ReturnType<typeof listTemplates>>[number];

/** What the project may use: its own templates and those of the whole instance. */
const reachable = (db: Db, projectId: number) =>
  db
    .selectFrom('dashboard_templates')
    .select(columns)
    .where((w) => w.or([w('project_id', '=', projectId), w('project_id', 'is', null)]))
    .where('deleted', '=', false);

/** All the templates that a project may use, by name. */
export const listTemplates = (db: Db, projectId: number) =>
  reachable(db, projectId).orderBy('template_name').orderBy('id').execute();

/** The template of a name: the project's own before one of the instance. */
export const findTemplateByName = (db: Db, projectId: number, name: string): Promise<TemplateRow | undefined> =>
  reachable(db, projectId).where('template_name', '=', name).orderBy(sql`project_id nulls last`).limit(1).executeTakeFirst();
