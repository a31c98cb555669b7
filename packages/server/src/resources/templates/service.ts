import type { ProjectContext } from '../../auth/index.js';
import { inTransaction } from '../../http/in-transaction.js';
import { jsonColumn } from '../../http/json-column.js';
import { ApiError } from '../../kernel/errors.js';
import { isUniqueViolation } from '../../kernel/sql.js';
import type { Db } from '../../ports/db.js';
import { type Activity, byCaller, type Change, changesBetween, kindOfChange, recordActivity } from '../activity/index.js';
import { BUILT_IN } from './built-in.js';
import { readTemplate, type Template, type TemplateChange, type TemplateFields } from './schema.js';
import { findTemplateByName, insertTemplate, lockTemplate, type TemplateRow, updateTemplate } from './store.js';

/** Fields whose changes the activity log records. */
const LOGGED = [
  'template_name',
  'dashboard_description',
  'dashboard_filters',
  'tags',
  'tiles',
  'variables',
  'image_url',
  'scope',
] as const;

/** Creates a template of the project. @throws ApiError unique: the name is taken */
export function createTemplate(context: ProjectContext, fields: TemplateFields): Promise<TemplateRow> {
  const { deps, project, principal } = context;
  return write(context, async (tx) => {
    const row = await insertTemplate(tx, project.id, {
      ...fields,
      id: deps.ids.uuid(),
      dashboard_filters: jsonColumn(fields.dashboard_filters),
      tiles: jsonColumn(fields.tiles),
      variables: jsonColumn(fields.variables),
      image_url: fields.image_url ?? null,
      scope: fields.scope ?? 'team',
      created_by: principal.userId,
      created_at: new Date(deps.clock.now()),
    });
    await record(tx, context, row, 'created', []);
    return row;
  });
}

/** Updates a template of the project; `deleted` deletes and restores it. @throws ApiError unique: the name is taken; not_found */
export function patchTemplate(context: ProjectContext, id: string, fields: TemplateChange): Promise<TemplateRow> {
  const { project } = context;
  return write(context, async (tx) => {
    const before = await lockTemplate(tx, project.id, id);
    if (!before || (before.deleted && fields.deleted !== false)) throw new ApiError('not_found');
    const change = {
      ...fields,
      dashboard_filters: fields.dashboard_filters && jsonColumn(fields.dashboard_filters),
      tiles: fields.tiles && jsonColumn(fields.tiles),
      variables: fields.variables && jsonColumn(fields.variables),
    };
    if (Object.values(change).every((value) => value === undefined)) return before;
    const row = await updateTemplate(tx, project.id, id, change);
    const changes = changesBetween('DashboardTemplate', before, row, LOGGED);
    await record(tx, context, row, kindOfChange(before, row), changes);
    return row;
  });
}

/** Runs a transaction that writes a template, and refuses a name that is taken. @throws ApiError unique */
async function write(context: ProjectContext, work: (tx: Db) => Promise<TemplateRow>): Promise<TemplateRow> {
  try {
    return await inTransaction(context.deps.db, work);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new ApiError('unique', 'There is already a dashboard template with this name.', 'template_name');
  }
}

function record(
  db: Db,
  context: ProjectContext,
  row: TemplateRow,
  activity: Activity,
  changes: readonly Change[],
): Promise<void> {
  return recordActivity(db, context.deps, {
    ...byCaller(context),
    activity,
    scope: 'DashboardTemplate',
    itemId: row.id,
    detail: { name: row.template_name, changes },
  });
}

/** Finds the template of a request: a built-in one by its key or name, or a stored one by its name; null: there is none. */
export async function findTemplate(db: Db, projectId: number, key: string): Promise<Template | null> {
  const builtIn = BUILT_IN.find((one) => one.key === key);
  if (builtIn) return builtIn.template;
  // PostgreSQL refuses NUL
  const row = key.includes('\0') ? undefined : await findTemplateByName(db, projectId, key);
  if (row) return readTemplate(row);
  return BUILT_IN.find(({ template }) => template.template_name === key)?.template ?? null;
}
