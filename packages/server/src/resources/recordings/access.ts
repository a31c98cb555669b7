import { type AccessObject, accessOf } from '../../access/index.js';
import type { ProjectContext } from '../../auth/index.js';
import { ApiError } from '../../kernel/errors.js';
import { findRecordingRow, type RecordingRow } from './store.js';

const SESSION_ID = /^[A-Za-z0-9-]{1,70}$/;

type Context = ProjectContext & { params: Record<string, string> };

interface FoundRecording {
  row: RecordingRow;
  /** Input of access rules: a recording has no creator. */
  subject: AccessObject;
}

/** The recording that the path names. @throws ApiError not_found */
export async function findRecording({ deps, project, params }: Context, parameter = 'id'): Promise<FoundRecording> {
  const id = params[parameter] ?? '';
  const row = SESSION_ID.test(id) ? await findRecordingRow(deps.db, project.id, id) : undefined;
  if (!row) throw new ApiError('not_found');
  return { row, subject: { id: row.id, created_by: null } };
}

/** As {@link findRecording}, for callers with this level on it. @throws ApiError not_found, permission_denied */
export const findFor =
  (level: 'viewer' | 'editor') =>
  async (context: Context): Promise<RecordingRow> => {
    const [{ row, subject }, access] = await Promise.all([findRecording(context), accessOf(context, 'session_recording')]);
    access.requireOn(subject, level);
    return row;
  };
