import { isoTime } from '../../http/dates.js';
import type { ExportRow } from './store.js';

/** An export in responses. */
export const exportView = (row: ExportRow) => ({
  id: row.id,
  dashboard: row.dashboard_id,
  insight: row.insight_id,
  export_format: row.export_format,
  created_at: isoTime(row.created_at),
  has_content: row.content_size === null ? '' : 'true',
  export_context: row.export_context,
  filename: row.filename,
  expires_after: isoTime(row.expires_after),
  exception: row.exception,
});
