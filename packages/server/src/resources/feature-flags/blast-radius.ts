import { z } from 'zod';
import { accessOf } from '../../access/index.js';
import { countGroups, countPeople, type MatchCounts } from '../../analytics/index.js';
import { projectRoute } from '../../auth/index.js';
import { integer, nullable, object, optional } from '../../http/fields.js';
import { ApiError } from '../../kernel/errors.js';
import { disconnectSignal } from '../results/index.js';

const bodySchema = z
  .object({
    condition: object().describe('A condition of a flag. Its `properties` are counted; of a percentage everybody counts.'),
    group_type_index: optional(nullable(integer())).describe('Count groups of this type. Null: people.'),
  })
  .meta({
    example: { condition: { properties: [{ key: 'plan', type: 'person', operator: 'exact', value: ['pro'] }] } },
  });

const responseSchema = z.object({
  users_affected: z.int().describe('How many people (or groups) have the properties.'),
  total_users: z.int().describe('How many there are.'),
});

export const blastRadiusRoutes = [
  projectRoute({
    method: 'POST',
    path: '/feature_flags/user_blast_radius/',
    scope: 'feature_flag:read',
    summary: 'Count the people or groups that a condition would take',
    body: bodySchema,
    status: 200,
    response: responseSchema,
    load: async (context) => (await accessOf(context, 'feature_flag')).requireResource('viewer'),
    handle: async ({ deps, project, reply, body: { condition, group_type_index: type } }) => {
      const properties = condition['properties'] ?? [];
      const gone = disconnectSignal(reply.raw);
      const { matching, total } = await named(() =>
        type === undefined || type === null
          ? countPeople(deps, project.id, properties, gone)
          : countGroups(deps, project.id, type, properties, gone),
      );
      return { users_affected: matching, total_users: total };
    },
  }),
];

/** @throws ApiError invalid_input for invalid filters, with their place in the condition */
async function named(count: () => Promise<MatchCounts>): Promise<MatchCounts> {
  try {
    return await count();
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 400) throw error;
    throw new ApiError(error.code, error.message, error.body.attr?.replace(/^filters/, 'condition__properties') ?? 'condition');
  }
}
