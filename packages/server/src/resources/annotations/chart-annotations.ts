import { type AccessContext, requireResourceLevel } from '../../access/index.js';
import { requireScope } from '../../auth/index.js';
import { ApiError } from '../../kernel/errors.js';
import type { Db } from '../../ports/db.js';
import { subjectAccessOf } from './annotations.js';
import { annotationsOn, listAnnotations, type MarkedAnnotation } from './store.js';

/** A note on a moment. */
export interface ChartAnnotation {
  /** Epoch milliseconds. */
  at: number;
  text: string;
  /** The only dashboard or insight whose charts show it; null: all. */
  dashboardId: number | null;
  insightId: number | null;
}

/** Annotations that are read, the latest ones. */
const MAX = 500;

/** The annotations that the caller may see, the earliest first; none without access to annotations. */
export async function chartAnnotations(context: AccessContext): Promise<ChartAnnotation[]> {
  const { deps, project, principal } = context;
  try {
    requireScope(principal, 'annotation:read');
    await requireResourceLevel('annotation', 'viewer')(context);
  } catch (error) {
    if (error instanceof ApiError) return [];
    throw error;
  }
  const { insights, dashboards } = await subjectAccessOf(context);
  const none = { search: undefined, scope: undefined, insightId: undefined, dashboardId: undefined };
  const filter = { userId: principal.userId, insights, dashboards, ...none };
  const { rows } = await listAnnotations(deps.db, project.id, filter, { limit: MAX, offset: 0 });
  return rows
    .flatMap(({ content, date_marker, ...row }) => (content && date_marker ? [onChart({ ...row, content, date_marker })] : []))
    .reverse();
}

/** The annotations for a page without a caller, which shows a dashboard (null: none) or insights; the earliest first. */
export async function pageAnnotations(
  db: Db,
  projectId: number,
  on: { dashboardId: number | null; insightIds: readonly number[] },
): Promise<ChartAnnotation[]> {
  return (await annotationsOn(db, projectId, on, MAX)).map(onChart).reverse();
}

const onChart = ({ date_marker, content, scope, insight_id, dashboard_id }: MarkedAnnotation): ChartAnnotation => ({
  at: date_marker.getTime(),
  text: content,
  dashboardId: scope === 'dashboard' ? dashboard_id : null,
  insightId: scope === 'dashboard_item' ? insight_id : null,
});
