import { isoTime } from '../../http/dates.js';
import type { SubjectAccess } from './access.js';
import type { AnnotationRow } from './store.js';

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
