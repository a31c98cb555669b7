import type { ProjectContext } from '../../auth/index.js';
import { inTransaction } from '../../http/in-transaction.js';
import { ApiError } from '../../kernel/errors.js';
import type { Db } from '../../ports/db.js';
import { byCaller, changesBetween, kindOfChange, recordActivity } from '../activity/index.js';
import { findDashboard } from '../dashboards/index.js';
import { findInsight } from '../insights/index.js';
import type { AnnotationFields } from './schema.js';
import { isVisible, type Sights } from './sight.js';
import { type AnnotationRow, type AnnotationState, insertAnnotation, readAnnotation, updateAnnotation } from './store.js';

const EMPTY: AnnotationState = {
  content: null,
  date_marker: null,
  creation_type: 'USR',
  scope: 'project',
  insight_id: null,
  dashboard_id: null,
  deleted: false,
};
const LOGGED = ['content', 'date_marker', 'creation_type', 'scope', 'insight_id', 'dashboard_id'] as const;

/** Makes an annotation. @throws ApiError required, does_not_exist, permission_denied */
export async function createAnnotation(context: ProjectContext, fields: AnnotationFields): Promise<AnnotationRow> {
  const { deps, project, principal } = context;
  const state = sound(context, stateOf({ ...EMPTY, scope: scopeOf(fields) }, fields));
  await requireSeen(context, state, EMPTY);
  return inTransaction(deps.db, async (tx) => {
    const made = { ...state, created_by: principal.userId };
    const row = await require(tx, project.id, await insertAnnotation(tx, project.id, made, new Date(deps.clock.now())));
    await recordActivity(tx, deps, { ...entryOf(context, row), activity: 'created' });
    return row;
  });
}

/** Changes, deletes or restores an annotation. @throws ApiError required, does_not_exist, permission_denied, not_found */
export async function patchAnnotation(
  context: ProjectContext,
  found: AnnotationRow,
  fields: AnnotationFields,
  sights: Sights,
): Promise<AnnotationRow> {
  const { deps, project } = context;
  const given = withoutClosed(found, fields, sights);
  await requireSeen(context, stateOf(found, given), found);
  return inTransaction(deps.db, async (tx) => {
    const before = await require(tx, project.id, found.id, true);
    // somebody else may have been faster
    if ((before.deleted && fields.deleted !== false) || !isVisible(before, sights)) throw new ApiError('not_found');
    if (before.scope === 'organization') requireWholeOrganization(context);
    const state = sound(context, stateOf(before, given));
    if (before.project_id !== project.id) requireSamePlace(before, state);
    await updateAnnotation(tx, before.project_id, found.id, state, new Date(deps.clock.now()));
    const after = await require(tx, project.id, found.id);
    const changes = changesBetween('Annotation', before, after, LOGGED);
    const { detail, ...entry } = entryOf(context, after);
    await recordActivity(tx, deps, { ...entry, activity: kindOfChange(before, after), detail: { ...detail, changes } });
    return after;
  });
}

/** What an annotation is about when the request does not say it. */
const scopeOf = ({ dashboard_item: insight, dashboard_id: dashboard }: AnnotationFields): AnnotationState['scope'] =>
  insight ? 'dashboard_item' : dashboard ? 'dashboard' : 'project';

const stateOf = (before: AnnotationState, fields: AnnotationFields): AnnotationState => ({
  content: fields.content === undefined ? before.content : fields.content,
  date_marker: fields.date_marker === undefined ? before.date_marker : fields.date_marker,
  creation_type: fields.creation_type ?? before.creation_type,
  scope: fields.scope ?? before.scope,
  insight_id: fields.dashboard_item === undefined ? before.insight_id : fields.dashboard_item,
  dashboard_id: fields.dashboard_id === undefined ? before.dashboard_id : fields.dashboard_id,
  deleted: fields.deleted ?? before.deleted,
});

/** Who is answered null in place of something that is closed to them, and sends that back, does not change it. */
function withoutClosed(row: AnnotationRow, fields: AnnotationFields, sights: Sights): AnnotationFields {
  const { dashboard_item, dashboard_id, ...rest } = fields;
  return {
    ...rest,
    ...(dashboard_item === null && sights.insight(row) === null ? {} : { dashboard_item }),
    ...(dashboard_id === null && sights.dashboard(row) === null ? {} : { dashboard_id }),
  };
}

/** @throws ApiError required, permission_denied */
function sound(context: ProjectContext, state: AnnotationState): AnnotationState {
  if (state.scope === 'dashboard_item' && state.insight_id === null) throw new ApiError('required', undefined, 'dashboard_item');
  if (state.scope === 'dashboard' && state.dashboard_id === null) throw new ApiError('required', undefined, 'dashboard_id');
  if (state.scope === 'organization') requireWholeOrganization(context);
  return state;
}

/** @throws ApiError permission_denied for a key that is limited to projects: all projects of the organization show the annotation */
function requireWholeOrganization({ principal }: ProjectContext): void {
  if (!principal.key || principal.key.teams.length === 0) return;
  throw new ApiError(
    'permission_denied',
    'This key is limited to projects, and this annotation is shown in all of the organization.',
  );
}

/** @throws ApiError invalid_input: an annotation of the organization gets another subject from a project in which it was not made */
function requireSamePlace(before: AnnotationState, after: AnnotationState): void {
  const changed = (['scope', 'insight_id', 'dashboard_id'] as const).find((field) => before[field] !== after[field]);
  if (!changed) return;
  const field = changed === 'insight_id' ? 'dashboard_item' : changed;
  throw new ApiError('invalid_input', 'This can be changed only in the project where the annotation was made.', field);
}

/** @throws ApiError does_not_exist: the project has no such insight or dashboard, or the caller may not see it */
async function requireSeen(context: ProjectContext, next: AnnotationState, before: AnnotationState): Promise<void> {
  const { insight_id: insight, dashboard_id: dashboard } = next;
  if (insight !== null && insight !== before.insight_id) {
    await known('dashboard_item', insight, () => findInsight(context, String(insight)));
  }
  if (dashboard !== null && dashboard !== before.dashboard_id) {
    await known('dashboard_id', dashboard, () => findDashboard(context, String(dashboard)));
  }
}

async function known(field: string, id: number, find: () => Promise<unknown>): Promise<void> {
  try {
    await find();
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    throw new ApiError('does_not_exist', `Invalid pk "${id}" - object does not exist.`, field);
  }
}

async function require(db: Db, projectId: number, id: number, lock = false): Promise<AnnotationRow> {
  const row = await readAnnotation(db, projectId, id, lock);
  if (!row) throw new ApiError('not_found');
  return row;
}

/** Who may not see the insight or dashboard does not read in the log what was noted of it. */
function entryOf(context: ProjectContext, { id, content, scope, insight_id, dashboard_id }: AnnotationRow) {
  const ofInsight = scope === 'dashboard_item' && insight_id !== null ? ({ resource: 'insight', id: insight_id } as const) : null;
  const ofDashboard =
    scope === 'dashboard' && dashboard_id !== null ? ({ resource: 'dashboard', id: dashboard_id } as const) : null;
  const detail = { name: content };
  return { ...byCaller(context), scope: 'Annotation' as const, itemId: id, of: ofInsight ?? ofDashboard, detail };
}
