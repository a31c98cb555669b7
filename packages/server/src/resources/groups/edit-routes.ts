import { requireResourceLevel } from '../../access/index.js';
import { type ProjectContext, projectRoute } from '../../auth/index.js';
import { type Along, changeGroup, createGroup } from '../../ingestion/index.js';
import { ApiError } from '../../kernel/errors.js';
import { type Activity, byCaller, changesBetween, recordActivity } from '../activity/index.js';
import { loadGroupFor } from './load-group.js';
import { createSchema, groupSchema, oneQuery, setSchema, unsetSchema } from './schema.js';
import { groupView } from './view.js';

export const editRoutes = [
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
      const { group_type_index: index, group_key: key, group_properties } = body;
      const group = { index, key, properties: group_properties ?? {} };
      const made = await createGroup(context.deps, context.project.id, group, noting(context, 'created', []));
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
    load: loadGroupFor('editor'),
    handle: async ({ loaded, body: { key, value }, ...context }) => {
      const set = Object.fromEntries([[key, value]]);
      const { group_type_index: index, group_key } = loaded;
      const along = noting(context, 'updated', [key]);
      return shown(await changeGroup(context.deps, context.project.id, { index, key: group_key }, { set }, along));
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
    load: loadGroupFor('editor'),
    handle: async ({ loaded, body: { $unset: name }, ...context }) => {
      const { group_type_index: index, group_key: key } = loaded;
      const note = noting(context, 'updated', [name]);
      const along: Along = async (trx, before, after) => {
        if (!Object.hasOwn(before, name)) throw new ApiError('invalid_input', 'The group has no such property.', '$unset');
        await note(trx, before, after);
      };
      return shown(await changeGroup(context.deps, context.project.id, { index, key }, { unset: [name] }, along));
    },
  }),
];

function shown(group: Parameters<typeof groupView>[0] | null) {
  if (!group) throw new ApiError('not_found');
  return groupView(group);
}

/** Writes the change of the properties `names` into the activity log. */
const noting =
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
