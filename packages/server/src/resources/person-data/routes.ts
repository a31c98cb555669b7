import { requireResourceLevel } from '../../access/index.js';
import { type ProjectContext, projectRoute } from '../../auth/index.js';
import { uuid } from '../../http/fields.js';
import { deletePerson } from '../../ingestion/index.js';
import { ApiError } from '../../kernel/errors.js';
import { findPersonsByUuid, loadPersonFor, type PersonRecord, personParams } from '../persons/index.js';
import { removeRecordingsOf } from '../recordings/index.js';
import { exportPerson } from './export.js';
import { bulkAnswer, bulkSchema, deletionQuery, personExport } from './schema.js';
import { findUuids } from './store.js';

/** What goes with a person. */
interface Extent {
  delete_events?: boolean | undefined;
  delete_recordings?: boolean | undefined;
}

/** Routes under `/api/projects/:project_id` and `/api/environments/:project_id`. */
export const personDataRoutes = [
  projectRoute({
    method: 'DELETE',
    path: '/persons/:id/',
    params: personParams,
    scope: 'person:write',
    summary: 'Delete a person; the events stay, as those of somebody without a profile, unless they are to be deleted, too',
    query: deletionQuery,
    status: 204,
    load: loadPersonFor('editor'),
    handle: async ({ loaded, query, ...context }) => {
      await requireRights(context, query);
      if (!(await remove(context, loaded, query))) throw new ApiError('not_found');
    },
  }),
  projectRoute({
    method: 'POST',
    path: '/persons/bulk_delete/',
    scope: 'person:write',
    summary: 'Delete persons by their ids or distinct ids',
    body: bulkSchema,
    status: 202,
    response: bulkAnswer,
    load: requireResourceLevel('person', 'editor'),
    handle: async ({ body, ...context }) => {
      const { deps, project } = context;
      const { ids = [], distinct_ids: distinctIds = [] } = body;
      if (ids.length + distinctIds.length === 0) {
        throw new ApiError('invalid_input', 'You need to specify either distinct_ids or ids.');
      }
      if (body.keep_person) throw new ApiError('invalid_input', 'A person is always deleted with their events.', 'keep_person');
      await requireRights(context, body);
      const numbers = ids.filter((id) => /^\d{1,15}$/.test(id)).map(Number);
      const uuids = ids.flatMap((id) => uuid().safeParse(id).data ?? []);
      const found = await findUuids(deps.db, project.id, { numbers, uuids, distinctIds });
      let deleted = 0;
      for (const person of await findPersonsByUuid(deps.db, project.id, found)) {
        if (await remove(context, person, body)) deleted += 1;
      }
      return {
        persons_found: found.length,
        persons_deleted: deleted,
        events_queued_for_deletion: body.delete_events ?? false,
        recordings_queued_for_deletion: body.delete_recordings ?? false,
        deletion_errors: [],
      };
    },
  }),
  projectRoute({
    method: 'GET',
    path: '/persons/:id/export/',
    params: personParams,
    scope: 'person:read',
    summary: 'Export everything that is stored about a person, as one JSON file',
    status: 200,
    mediaType: 'application/json',
    response: personExport,
    load: async (context) => {
      const person = await loadPersonFor('viewer')(context);
      // an export without them would look complete
      await requireResourceLevel('session_recording', 'viewer')(context);
      return person;
    },
    handle: async ({ loaded, ...context }) => {
      const file = await exportPerson(context, loaded);
      return context.reply
        .type('application/json; charset=utf-8')
        .header('content-disposition', `attachment; filename="person-${loaded.uuid}.json"`)
        .header('cache-control', 'private, no-store')
        .send(file);
    },
  }),
];

async function requireRights(context: ProjectContext, { delete_recordings }: Extent): Promise<void> {
  if (delete_recordings) await requireResourceLevel('session_recording', 'editor')(context);
}

/** Deletes a person with what the request says. Resolves with false when another request was first. */
function remove({ deps, project }: ProjectContext, person: PersonRecord, extent: Extent): Promise<boolean> {
  const { id, uuid, is_identified: isIdentified, created_at } = person;
  const now = new Date(deps.clock.now());
  return deletePerson(
    deps,
    project.id,
    { id, uuid, isIdentified, createdAt: created_at.getTime() },
    {
      withEvents: extent.delete_events ?? false,
      also: async (trx, distinctIds) => {
        if (extent.delete_recordings) await removeRecordingsOf(trx, project.id, distinctIds, now);
      },
    },
  );
}
