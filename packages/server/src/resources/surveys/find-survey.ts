import { type Access, accessOf } from '../../access/index.js';
import type { ProjectContext } from '../../auth/index.js';
import { isUuid } from '../../http/ids.js';
import { ApiError } from '../../kernel/errors.js';
import type { SurveyRow } from './row.js';
import { readSurvey } from './store.js';

export type ItemContext = ProjectContext & { params: Record<string, string> };

/** A survey that the caller may see or change, and what the access rules say to them about surveys. */
export interface FoundSurvey {
  row: SurveyRow;
  access: Access;
}

/** The survey of the path, for somebody who may do so much. @throws ApiError not_found, permission_denied */
export const findFor =
  (level: 'viewer' | 'editor') =>
  async (context: ItemContext): Promise<FoundSurvey> => {
    const [row, access] = await Promise.all([readRow(context), accessOf(context, 'survey')]);
    access.requireOn(row, level);
    return { row, access };
  };

/** Finds the survey of the path, without checking access. @throws ApiError not_found */
export async function readRow({ deps, project, params }: ItemContext): Promise<SurveyRow> {
  const id = params['id'] ?? '';
  const row = isUuid(id) ? await readSurvey(deps.db, project.id, id) : null;
  if (!row) throw new ApiError('not_found');
  return row;
}
