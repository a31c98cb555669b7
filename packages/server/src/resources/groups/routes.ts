import { z } from 'zod';
import { requireResourceLevel } from '../../access/index.js';
import { findRelated, type RelatedSubject } from '../../analytics/index.js';
import { projectRoute } from '../../auth/index.js';
import { cursorEnvelope, cursorPageOf, readCursor } from '../../http/cursor-pagination.js';
import { uuid } from '../../http/fields.js';
import { validate } from '../../http/validate.js';
import { showPersons } from '../persons/index.js';
import { disconnectSignal } from '../results/index.js';
import { loadGroupFor } from './load-group.js';
import { commonValues, countProperties } from './property-store.js';
import {
  definitionsSchema,
  foundSchema,
  groupSchema,
  listQuery,
  oneQuery,
  relatedQuery,
  relatedSchema,
  valuesQuery,
  valuesSchema,
} from './schema.js';
import { findGroups, listGroups, type Place, type StoredGroup } from './store.js';
import { groupView, relatedGroupView } from './view.js';

/** Years that both PostgreSQL and JavaScript can write. */
const MAX_TIME = Date.UTC(9999, 0);
const place = z.object({
  createdAt: z.int().min(-MAX_TIME).max(MAX_TIME),
  key: z.string().refine((key) => !key.includes('\0')),
});
const placeOf = (group: StoredGroup): Place => ({ createdAt: group.created_at.getTime(), key: group.group_key });

export const groupRoutes = [
  projectRoute({
    method: 'GET',
    path: '/groups/',
    scope: 'group:read',
    summary: 'List the groups of a type, newest first, in pages of 100',
    query: listQuery,
    status: 200,
    response: cursorPageOf(groupSchema),
    load: requireResourceLevel('group', 'viewer'),
    handle: async ({ deps, request, project, query }) => {
      const cursor = readCursor(request, place);
      return cursorEnvelope(request, cursor, await listGroups(deps.db, project.id, query, cursor), placeOf, groupView);
    },
  }),
  projectRoute({
    method: 'GET',
    path: '/groups/find/',
    scope: 'group:read',
    summary: 'Retrieve a group by its key',
    query: oneQuery,
    status: 200,
    errors: [404],
    response: foundSchema,
    load: loadGroupFor('viewer'),
    handle: async ({ loaded }) => ({ ...groupView(loaded), notebook: null }),
  }),
  projectRoute({
    method: 'GET',
    path: '/groups/related/',
    scope: 'group:read',
    summary: 'List the persons and groups that occur in events together with a group or person',
    query: relatedQuery,
    status: 200,
    response: relatedSchema,
    load: async (context) => {
      await requireResourceLevel('group', 'viewer')(context);
      await requireResourceLevel('person', 'viewer')(context);
    },
    handle: async ({ deps, project, reply, query }) => {
      const to = relatedTo(query);
      if (!to) return [];
      const related = await findRelated(deps.events, project.id, to, disconnectSignal(reply.raw));
      const [persons, groups] = await Promise.all([
        showPersons(deps.db, project.id, related.persons),
        findGroups(deps.db, project.id, related.groups),
      ]);
      return [...persons, ...groups.map(relatedGroupView)];
    },
  }),
  projectRoute({
    method: 'GET',
    path: '/groups/property_definitions/',
    scope: 'group:read',
    summary: 'List the properties that groups have, by type',
    status: 200,
    response: definitionsSchema,
    load: requireResourceLevel('group', 'viewer'),
    handle: ({ deps, project }) => countProperties(deps.db, project.id),
  }),
  projectRoute({
    method: 'GET',
    path: '/groups/property_values/',
    scope: 'group:read',
    summary: 'List the 20 most common values of a property of groups',
    query: valuesQuery,
    status: 200,
    response: valuesSchema,
    load: requireResourceLevel('group', 'viewer'),
    handle: async ({ deps, project, query }) => (await commonValues(deps.db, project.id, query)).map((name) => ({ name })),
  }),
];

const personId = z.object({ id: uuid() });

/** Null: a group type that no event can have. */
function relatedTo(query: z.output<typeof relatedQuery>): RelatedSubject | null {
  const { id, group_type_index: index } = query;
  if (index === undefined) return { person: validate(personId, query).id };
  return index >= 0 && index <= 4 ? { index, key: id } : null;
}
