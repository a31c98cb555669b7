import { z } from 'zod';
import { accessOf } from '../../access/index.js';
import { countGroups, countPeople, type MatchCounts } from '../../analytics/index.js';
import { projectRoute } from '../../auth/index.js';
import { integer, nullable, object, optional } from '../../http/fields.js';
import { ApiError } from '../../kernel/errors.js';
import { disconnectSignal } from '../results/index.js';

const bodySchema = z
  .object({
    condition: object().describe('A condition of a flag. Its `properties` are counted, its percentage is ignored.'),
    group_type_index: optional(nullable(integer())).describe('Count groups of this type. Null: people.'),
  })
  .meta({
    example: { condition: { properties: [{ key: 'plan', type: 'person', operator: 'exact', value: ['pro'] }] } },
  });

const responseSchema = z.object({
  users_affected: z.int().describe('Number of people (or groups) with the properties.'),
  total_users: z.int().describe('Number of all people (or groups).'),
});

export const blastRadiusRoutes = [
  projectRoute({
    method: 'POST',
    path: '/feature_flags/user_blast_radius/',
    scope: 'feature_flag:read',
    summary: 'Count the people or groups that match a condition',
    body: bodySchema,
    status: 200,
    response: responseSchema,
    load: async (context) => (await accessOf(context, 'feature_flag')).requireResource('viewer'),
    handle: async ({ deps, project, reply, body: { condition, group_type_index: type } }) => {
      const properties = condition['properties'] ?? [];
      const gone = disconnectSignal(reply.raw);
      const { matching, total } = await withConditionPath(() =>
        type === undefined || type === null
          ? countPeople(deps, project.id, properties, gone)
          : countGroups(deps, project.id, type, properties, gone),
      );
      return { users_affected: matching, total_users: total };
    },
  }),
];

/** Reports errors of filters under their path in the condition. */
async function withConditionPath(count: () => Promise<MatchCounts>): Promise<MatchCounts> {
  try {
    return await count();
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 400) throw error;
    throw new ApiError(error.code, error.message, error.body.attr?.replace(/^filters/, 'condition__properties') ?? 'condition');
  }
}
