import { z } from 'zod';
import { requireResourceLevel } from '../../access/index.js';
import { findRelated, type RelatedSubject } from '../../analytics/index.js';
import { type ProjectContext, projectRoute } from '../../auth/index.js';
import { uuid } from '../../http/fields.js';
import { cursorEnvelope, cursorPageOf, readCursor } from '../../http/pagination.js';
import { validate } from '../../http/validate.js';
import { type Along, changeGroup, createGroup, ensureGroupType } from '../../ingestion/index.js';
import { ApiError } from '../../kernel/errors.js';
import { type Activity, byCaller, changesBetween, recordActivity } from '../activity/index.js';
import { showPersons } from '../persons/index.js';
import { disconnectSignal } from '../results/index.js';
import { findFor } from './access.js';
import {
  createSchema,
  createTypeSchema,
  definitionsSchema,
  foundSchema,
  groupSchema,
  groupTypeSchema,
  listQuery,
  oneQuery,
  relatedQuery,
  relatedSchema,
  renameSchema,
  setSchema,
  unsetSchema,
  valuesQuery,
  valuesSchema,
} from './schema.js';
import { commonValues, countProperties, findGroups, listGroups, type Place, type StoredGroup } from './store.js';
import { listTypes, renameGroupTypes } from './types.js';
import { groupTypeView, groupView, relatedGroupView } from './view.js';

/** The last year that PostgreSQL and JavaScript both can write, as a bound of cursors. */
const MAX_TIME = Date.UTC(9999, 0);
const place = z.object({
  createdAt: z.int().min(-MAX_TIME).max(MAX_TIME),
  key: z.string().refine((key) => !key.includes('\0')),
});
const placeOf = (group: StoredGroup): Place => ({ createdAt: group.created_at.getTime(), key: group.group_key });

/** Routes under `/api/projects/:project_id` and `/api/environments/:project_id`. */
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
    load: findFor('viewer'),
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
  projectRoute({
    method: 'POST',
    path: '/groups/',
    scope: 'group:write',
    summary: 'Create a group',
    body: createSchema,
    status: 201,
    response: groupSchema,
    load: requireResourceLevel('group', 'editor'),
    handle: async ({ body, ...context }) => {
      const { group_type_index: index, group_key: key, group_properties, created_at } = body;
      const group = { index, key, properties: group_properties ?? {}, createdAt: created_at?.getTime() };
      const made = await createGroup(context.deps, context.project.id, group, recording(context, 'created', []));
      if (!made) throw new ApiError('invalid_input', 'A group with this key already exists', 'detail');
      return groupView(made);
    },
  }),
  projectRoute({
    method: 'POST',
    path: '/groups/update_property/',
    scope: 'group:write',
    summary: 'Set one property of a group',
    query: oneQuery,
    body: setSchema,
    status: 200,
    errors: [404],
    response: groupSchema,
    load: findFor('editor'),
    handle: async ({ loaded, body: { key, value }, ...context }) => {
      const set = Object.fromEntries([[key, value]]);
      const { group_type_index: index, group_key } = loaded;
      const along = recording(context, 'updated', [key]);
      return viewOrThrow(await changeGroup(context.deps, context.project.id, { index, key: group_key }, { set }, along));
    },
  }),
  projectRoute({
    method: 'POST',
    path: '/groups/delete_property/',
    scope: 'group:write',
    summary: 'Take one property away from a group',
    query: oneQuery,
    body: unsetSchema,
    status: 200,
    errors: [404],
    response: groupSchema,
    load: findFor('editor'),
    handle: async ({ loaded, body: { $unset: name }, ...context }) => {
      const { group_type_index: index, group_key: key } = loaded;
      const record = recording(context, 'updated', [name]);
      const along: Along = async (trx, before, after) => {
        if (!Object.hasOwn(before, name)) throw new ApiError('invalid_input', 'The group has no such property.', '$unset');
        await record(trx, before, after);
      };
      return viewOrThrow(await changeGroup(context.deps, context.project.id, { index, key }, { unset: [name] }, along));
    },
  }),
];

/** Routes of group types. They are mounted under `/api/:project_id`, too, which is where PostHog documents them. */
export const typeRoutes = [
  projectRoute({
    method: 'GET',
    path: '/groups_types/',
    scope: 'group:read',
    summary: 'List the group types of a project, by index',
    status: 200,
    response: z.array(groupTypeSchema),
    handle: async ({ deps, project }) => (await listTypes(deps.db, project.id)).map(groupTypeView),
  }),
  projectRoute({
    method: 'POST',
    path: '/groups_types/',
    scope: 'group:write',
    summary: 'Make a group type, or name the one that exists',
    description: 'The first event of a type makes it, too. Types get the indexes 0 to 4 in the order in which they are made.',
    body: createTypeSchema,
    status: 200,
    response: groupTypeSchema,
    load: requireResourceLevel('group', 'editor'),
    handle: async ({ body, ...context }) => {
      const index = await ensureGroupType(context.deps, context.project.id, body.group_type);
      if (index === null) throw new ApiError('invalid_input', 'A project may have 5 group types.', 'group_type');
      const { name_singular, name_plural } = body;
      const types = await renameGroupTypes(context, [{ group_type_index: index, name_singular, name_plural }]);
      const made = types.find((type) => type.group_type_index === index);
      if (!made) throw new ApiError('not_found');
      return groupTypeView(made);
    },
  }),
  projectRoute({
    method: 'PATCH',
    path: '/groups_types/update_metadata/',
    scope: 'group:write',
    summary: 'Say what people call the groups of some types',
    body: renameSchema,
    status: 200,
    errors: [404],
    response: z.array(groupTypeSchema),
    load: requireResourceLevel('group', 'editor'),
    handle: async ({ body, ...context }) => (await renameGroupTypes(context, body)).map(groupTypeView),
  }),
];

const personId = z.object({ id: uuid() });

/** The subject of a request for related groups; null: the index is not one of a group type. */
function relatedTo(query: z.output<typeof relatedQuery>): RelatedSubject | null {
  const { id, group_type_index: index } = query;
  if (index === undefined) return { person: validate(personId, query).id };
  return index >= 0 && index <= 4 ? { index, key: id } : null;
}

function viewOrThrow(group: Parameters<typeof groupView>[0] | null) {
  if (!group) throw new ApiError('not_found');
  return groupView(group);
}

/** Makes the hook that records a change of the properties `names` in the transaction that writes them. */
const recording =
  (context: ProjectContext, activity: Activity, names: string[]): Along =>
  (trx, before, after) => {
    const { name } = after.group_properties;
    return recordActivity(trx, context.deps, {
      ...byCaller(context),
      activity,
      scope: 'Group',
      itemId: after.id,
      detail: {
        name: typeof name === 'string' && name !== '' ? name : after.group_key,
        changes: changesBetween('Group', before, after.group_properties, names),
      },
    });
  };
