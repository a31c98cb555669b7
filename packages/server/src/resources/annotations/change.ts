import { inTransaction } from '../../http/in-transaction.js';
import type { ProjectContext } from '../../identity/index.js';
import { ApiError } from '../../kernel/errors.js';
import type { Db } from '../../ports/db.js';
import { byCaller, changesBetween, kindOfChange, recordActivity } from '../activity/index.js';
import type { AnnotationFields } from './schema.js';
import { type AnnotationRow, type AnnotationState, insertAnnotation, readAnnotation, updateAnnotation } from './store.js';

const EMPTY: AnnotationState = { content: null, date_marker: null, creation_type: 'USR', deleted: false };

/** Makes an annotation. */
export function createAnnotation(context: ProjectContext, fields: AnnotationFields): Promise<AnnotationRow> {
  const { deps, project, principal } = context;
  return inTransaction(deps.db, async (tx) => {
    const made = { ...stateOf(EMPTY, fields), created_by: principal.userId };
    const row = await require(tx, project.id, await insertAnnotation(tx, project.id, made, new Date(deps.clock.now())));
    await recordActivity(tx, deps, { ...entryOf(context, row), activity: 'created' });
    return row;
  });
}

/** Changes, deletes or restores an annotation. @throws ApiError not_found */
export function patchAnnotation(context: ProjectContext, id: number, fields: AnnotationFields): Promise<AnnotationRow> {
  const { deps, project } = context;
  return inTransaction(deps.db, async (tx) => {
    const before = await require(tx, project.id, id, true);
    // somebody else may have been faster
    if (before.deleted && fields.deleted !== false) throw new ApiError('not_found');
    await updateAnnotation(tx, project.id, id, stateOf(before, fields), new Date(deps.clock.now()));
    const after = await require(tx, project.id, id);
    const changes = changesBetween('Annotation', before, after, ['content', 'date_marker', 'creation_type']);
    const { detail, ...entry } = entryOf(context, after);
    await recordActivity(tx, deps, { ...entry, activity: kindOfChange(before, after), detail: { ...detail, changes } });
    return after;
  });
}

const stateOf = (before: AnnotationState, fields: AnnotationFields): AnnotationState => ({
  content: fields.content === undefined ? before.content : fields.content,
  date_marker: fields.date_marker === undefined ? before.date_marker : fields.date_marker,
  creation_type: fields.creation_type ?? before.creation_type,
  deleted: fields.deleted ?? before.deleted,
});

async function require(db: Db, projectId: number, id: number, lock = false): Promise<AnnotationRow> {
  const row = await readAnnotation(db, projectId, id, lock);
  if (!row) throw new ApiError('not_found');
  return row;
}

const entryOf = (context: ProjectContext, { id, content }: AnnotationRow) => ({
  ...byCaller(context),
  scope: 'Annotation' as const,
  itemId: id,
  detail: { name: content },
});
