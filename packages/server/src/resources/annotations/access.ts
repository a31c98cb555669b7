import { type Access, accessOf, type ItemContext, requireResourceLevel } from '../../access/index.js';
import type { ProjectContext } from '../../auth/index.js';
import { ApiError } from '../../kernel/errors.js';
import { objectId } from '../../kernel/ids.js';
import { type AnnotatedDashboard, type AnnotatedInsight, type AnnotationRow, readAnnotation, type Visibility } from './store.js';

/** Which subjects of annotations, that is insights and dashboards, the caller may see. */
export interface SubjectAccess {
  /** The insight of an annotation; null: there is none, or it is hidden. */
  insight(of: Pick<AnnotationRow, 'insight' | 'project_id'>): AnnotatedInsight | null;
  /** The dashboard of an annotation; null: there is none, or it is hidden. */
  dashboard(of: Pick<AnnotationRow, 'dashboard' | 'project_id'>): AnnotatedDashboard | null;
  insights: Visibility;
  dashboards: Visibility;
}

/** Reads what the access rules say about insights and dashboards. */
export async function subjectAccessOf(context: ProjectContext): Promise<SubjectAccess> {
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
export function isVisible(row: AnnotationRow, subjects: SubjectAccess): boolean {
  if (row.scope === 'dashboard_item') return subjects.insight(row) !== null;
  return row.scope !== 'dashboard' || subjects.dashboard(row) !== null;
}

/** An annotation that the caller may see. */
export interface FoundAnnotation {
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
