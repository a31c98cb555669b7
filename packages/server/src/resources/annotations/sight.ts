import { type Access, accessOf } from '../../access/index.js';
import type { ProjectContext } from '../../auth/index.js';
import type { AnnotatedDashboard, AnnotatedInsight, AnnotationRow, Sight } from './store.js';

/** What the caller may see of what annotations are about. */
export interface Sights {
  insight(of: Pick<AnnotationRow, 'insight' | 'project_id'>): AnnotatedInsight | null;
  dashboard(of: Pick<AnnotationRow, 'dashboard' | 'project_id'>): AnnotatedDashboard | null;
  insights: Sight;
  dashboards: Sight;
}

/** What the access rules leave to the caller. */
export async function sightsOf(context: ProjectContext): Promise<Sights> {
  const [insights, dashboards] = await Promise.all([accessOf(context, 'insight'), accessOf(context, 'dashboard')]);
  const shown = <T extends AnnotatedDashboard>(access: Access, object: T | null, projectId: number): T | null =>
    // rules are those of this project
    object && projectId === context.project.id && !object.deleted && access.levelOn(object) !== 'none' ? object : null;
  return {
    insight: ({ insight, project_id }) => shown(insights, insight, project_id),
    dashboard: ({ dashboard, project_id }) => shown(dashboards, dashboard, project_id),
    insights: sightOf(insights),
    dashboards: sightOf(dashboards),
  };
}

const sightOf = (access: Access): Sight => ({
  closed: access.levelOn({ id: 0, created_by: null }) === 'none',
  hidden: access.hiddenIds,
});

/** Whether the caller may see an annotation: one of an insight or a dashboard is there for who may see that. */
export function isVisible(row: AnnotationRow, sights: Sights): boolean {
  if (row.scope === 'dashboard_item') return sights.insight(row) !== null;
  return row.scope !== 'dashboard' || sights.dashboard(row) !== null;
}
