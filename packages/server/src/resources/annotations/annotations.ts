import { type Access, type AccessContext, accessOf, type ItemContext, requireResourceLevel } from '../../access/index.js';
import type { ProjectContext } from '../../auth/index.js';
import { isoTime } from '../../http/dates.js';
import { inTransaction } from '../../http/in-transaction.js';
import { ApiError } from '../../kernel/errors.js';
import { objectId } from '../../kernel/ids.js';
import type { Db } from '../../ports/db.js';
import { byCaller, changesBetween, kindOfChange, recordActivity } from '../activity/index.js';
import { findDashboard } from '../dashboards/index.js';
import { findInsight } from '../insights/index.js';
import type { AnnotationFields } from './schema.js';
import {
  type AnnotatedDashboard,
  type AnnotatedInsight,
  type AnnotationRow,
  type AnnotationState,
  insertAnnotation,
  readAnnotation,
  updateAnnotation,
  type Visibility,
} from './store.js';

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

/** Creates an annotation. @throws ApiError required, does_not_exist, permission_denied */
export async function createAnnotation(context: ProjectContext, fields: AnnotationFields): Promise<AnnotationRow> {
  const { deps, project, principal } = context;
  const state = validated(context, stateOf({ ...EMPTY, scope: defaultScope(fields) }, fields));
  await requireVisibleSubjects(context, state, EMPTY);
  return inTransaction(deps.db, async (tx) => {
    const made = { ...state, created_by: principal.userId };
    const row = await readOrThrow(tx, project.id, await insertAnnotation(tx, project.id, made, new Date(deps.clock.now())));
    await recordActivity(tx, deps, { ...entryOf(context, row), activity: 'created' });
    return row;
  });
}

/** Updates an annotation; `deleted` deletes and restores it. @throws ApiError required, does_not_exist, permission_denied, not_found */
export async function patchAnnotation(
  context: ProjectContext,
  found: AnnotationRow,
  fields: AnnotationFields,
  subjects: SubjectAccess,
): Promise<AnnotationRow> {
  const { deps, project } = context;
  const given = withoutHidden(found, fields, subjects);
  await requireVisibleSubjects(context, stateOf(found, given), found);
  return inTransaction(deps.db, async (tx) => {
    const before = await readOrThrow(tx, project.id, found.id, true);
    // another request may have deleted it before the lock
    if ((before.deleted && fields.deleted !== false) || !isVisible(before, subjects)) throw new ApiError('not_found');
    if (before.scope === 'organization') requireWholeOrganization(context);
    const state = validated(context, stateOf(before, given));
    if (before.project_id !== project.id) requireSameSubject(before, state);
    await updateAnnotation(tx, before.project_id, found.id, state, new Date(deps.clock.now()));
    const after = await readOrThrow(tx, project.id, found.id);
    const changes = changesBetween('Annotation', before, after, LOGGED);
    const { detail, ...entry } = entryOf(context, after);
    await recordActivity(tx, deps, { ...entry, activity: kindOfChange(before, after), detail: { ...detail, changes } });
    return after;
  });
}

/** The scope of a new annotation, unless the request has one. */
const defaultScope = ({ dashboard_item: insight, dashboard_id: dashboard }: AnnotationFields): AnnotationState['scope'] =>
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

/** Ignores a null for a subject that is hidden from the caller: responses show null there, and clients send it back. */
function withoutHidden(row: AnnotationRow, fields: AnnotationFields, subjects: SubjectAccess): AnnotationFields {
  const { dashboard_item, dashboard_id, ...rest } = fields;
  return {
    ...rest,
    ...(dashboard_item === null && subjects.insight(row) === null ? {} : { dashboard_item }),
    ...(dashboard_id === null && subjects.dashboard(row) === null ? {} : { dashboard_id }),
  };
}

/** Checks that a scope has its subject. @throws ApiError required, permission_denied */
function validated(context: ProjectContext, state: AnnotationState): AnnotationState {
  if (state.scope === 'dashboard_item' && state.insight_id === null) throw new ApiError('required', undefined, 'dashboard_item');
  if (state.scope === 'dashboard' && state.dashboard_id === null) throw new ApiError('required', undefined, 'dashboard_id');
  if (state.scope === 'organization') requireWholeOrganization(context);
  return state;
}

/** Refuses keys that are limited to projects: all projects of the organization show the annotation. @throws ApiError permission_denied */
function requireWholeOrganization({ principal }: ProjectContext): void {
  if (!principal.key || principal.key.teams.length === 0) return;
  throw new ApiError(
    'permission_denied',
    'This key is limited to projects, and this annotation is shown in all of the organization.',
  );
}

/** Refuses another subject for an annotation that was made in another project of the organization. @throws ApiError invalid_input */
function requireSameSubject(before: AnnotationState, after: AnnotationState): void {
  const changed = (['scope', 'insight_id', 'dashboard_id'] as const).find((field) => before[field] !== after[field]);
  if (!changed) return;
  const field = changed === 'insight_id' ? 'dashboard_item' : changed;
  throw new ApiError('invalid_input', 'This can be changed only in the project where the annotation was made.', field);
}

/** Checks the subjects that change. @throws ApiError does_not_exist: there is no such insight or dashboard, or it is hidden from the caller */
async function requireVisibleSubjects(context: ProjectContext, next: AnnotationState, before: AnnotationState): Promise<void> {
  const { insight_id: insight, dashboard_id: dashboard } = next;
  if (insight !== null && insight !== before.insight_id) {
    await asDoesNotExist('dashboard_item', insight, () => findInsight(context, String(insight)));
  }
  if (dashboard !== null && dashboard !== before.dashboard_id) {
    await asDoesNotExist('dashboard_id', dashboard, () => findDashboard(context, String(dashboard)));
  }
}

/** Turns the errors of a finder into that of a field. */
async function asDoesNotExist(field: string, id: number, find: () => Promise<unknown>): Promise<void> {
  try {
    await find();
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    throw new ApiError('does_not_exist', `Invalid pk "${id}" - object does not exist.`, field);
  }
}

async function readOrThrow(db: Db, projectId: number, id: number, lock = false): Promise<AnnotationRow> {
  const row = await readAnnotation(db, projectId, id, lock);
  if (!row) throw new ApiError('not_found');
  return row;
}

/** The entry of the activity log. It is part of the subject, so that only callers who may see that can read it. */
function entryOf(context: ProjectContext, { id, content, scope, insight_id, dashboard_id }: AnnotationRow) {
  const ofInsight = scope === 'dashboard_item' && insight_id !== null ? ({ resource: 'insight', id: insight_id } as const) : null;
  const ofDashboard =
    scope === 'dashboard' && dashboard_id !== null ? ({ resource: 'dashboard', id: dashboard_id } as const) : null;
  const detail = { name: content };
  return { ...byCaller(context), scope: 'Annotation' as const, itemId: id, of: ofInsight ?? ofDashboard, detail };
}

/** Which subjects of annotations, that is insights and dashboards, the caller may see. */
interface SubjectAccess {
  /** The insight of an annotation; null: there is none, or it is hidden. */
  insight(of: Pick<AnnotationRow, 'insight' | 'project_id'>): AnnotatedInsight | null;
  /** The dashboard of an annotation; null: there is none, or it is hidden. */
  dashboard(of: Pick<AnnotationRow, 'dashboard' | 'project_id'>): AnnotatedDashboard | null;
  insights: Visibility;
  dashboards: Visibility;
}

/** Reads what the access rules say about insights and dashboards. */
export async function subjectAccessOf(context: AccessContext): Promise<SubjectAccess> {
  const [insights, dashboards] = await Promise.all([accessOf(context, 'insight'), accessOf(context, 'dashboard')]);
  const shown = <T extends AnnotatedDashboard>(access: Access, object: T | null, projectId: number): T | null =>
    // the access rules are those of this project, so subjects in other projects are hidden
    object && projectId === context.project.id && !object.deleted && access.levelOn(object) !== 'none' ? object : null;
  return {
    insight: ({ insight, project_id }) => shown(insights, insight, project_id),
    dashboard: ({ dashboard, project_id }) => shown(dashboards, dashboard, project_id),
    insights: visibilityOf(insights),
    dashboards: visibilityOf(dashboards),
  };
}

const visibilityOf = (access: Access): Visibility => ({
  isClosed: access.levelOn({ id: 0, created_by: null }) === 'none',
  hidden: access.hiddenIds,
});

/** Tells whether the caller may see an annotation: annotations of an insight or a dashboard are as visible as that is. */
function isVisible(row: AnnotationRow, subjects: SubjectAccess): boolean {
  if (row.scope === 'dashboard_item') return subjects.insight(row) !== null;
  return row.scope !== 'dashboard' || subjects.dashboard(row) !== null;
}

/** An annotation that the caller may see. */
interface FoundAnnotation {
  row: AnnotationRow;
  subjects: SubjectAccess;
}

/**
 * Makes the loader of the annotation of `params.id`, deleted or not, for callers with this level.
 * @throws ApiError permission_denied, not_found
 */
export function findFor(level: 'viewer' | 'editor') {
  return async (context: ItemContext): Promise<FoundAnnotation> => {
    await requireResourceLevel('annotation', level)(context);
    const id = objectId(context.params['id']);
    const row = id === null ? null : await readAnnotation(context.deps.db, context.project.id, id);
    const subjects = await subjectAccessOf(context);
    if (!row || !isVisible(row, subjects)) throw new ApiError('not_found');
    return { row, subjects };
  };
}

/** An annotation as responses show it, without subjects that are hidden from the caller. */
export function annotationView(row: AnnotationRow, subjects: SubjectAccess) {
  const [insight, dashboard] = [subjects.insight(row), subjects.dashboard(row)];
  return {
    id: row.id,
    content: row.content,
    date_marker: isoTime(row.date_marker),
    creation_type: row.creation_type,
    scope: row.scope,
    dashboard_item: insight?.id ?? null,
    insight_short_id: insight?.short_id ?? null,
    insight_name: insight?.name ?? null,
    insight_derived_name: insight?.derived_name ?? null,
    dashboard_id: dashboard?.id ?? null,
    dashboard_name: dashboard?.name ?? null,
    created_by: row.creator,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
    deleted: row.deleted,
  };
}
