import { evaluateFlags } from '@tidemark/flags';
import { z } from 'zod';
import { accessOf, requireResourceLevel } from '../../../access/index.js';
import { projectRoute, usersById } from '../../../auth/index.js';
import { ApiError } from '../../../kernel/errors.js';
import { findVisible } from '../access.js';
import { flagNameSchema, flagParams } from '../schema.js';
import { readNames } from '../store.js';
import { mineQuery, reasonsQuery, testSchema } from './schema.js';
import { loadEvaluation, testedSchema, testFlag } from './test-flag.js';

const value = z.union([z.boolean(), z.string()]).describe('False, true, or the key of a variant.');

const reasonsSchema = z.record(
  z.string(),
  z.object({
    value,
    evaluation: z
      .object({
        reason: z.string().describe('Reason, as in responses of `/flags`: `condition_match`, `out_of_rollout_bound`, …'),
        condition_index: z.int().nullable().describe('Index of the condition of the reason; null: none.'),
      })
      .describe('How the value was decided.'),
  }),
);

/** Routes that evaluate flags for a person. */
export const evaluationRoutes = [
  projectRoute({
    method: 'GET',
    path: '/feature_flags/evaluation_reasons/',
    scope: 'feature_flag:read',
    summary: 'Evaluate every feature flag for a person, with reasons',
    query: reasonsQuery,
    status: 200,
    response: reasonsSchema,
    handle: async ({ query, ...context }) => {
      const access = await accessOf(context, 'feature_flag');
      access.requireResource('viewer');
      const { definitions, subject, environment } = await loadEvaluation(context.deps, context.project.id, query);
      const results = evaluateFlags(definitions.prepared, subject, environment);
      const names = await readNames(
        context.deps.db,
        context.project.id,
        definitions.flags.map(({ id }) => id),
      );
      const seen = names.filter((flag) => access.levelOn(flag) !== 'none');
      return Object.fromEntries(
        seen.flatMap(({ key }) => {
          const result = results.get(key);
          if (!result) return [];
          return [[key, { value: result.value, evaluation: { reason: result.reason, condition_index: result.conditionIndex } }]];
        }),
      );
    },
  }),
  projectRoute({
    method: 'GET',
    path: '/feature_flags/my_flags/',
    scope: 'feature_flag:read',
    summary: 'Evaluate the active feature flags for yourself',
    query: mineQuery,
    status: 200,
    response: z.array(z.object({ feature_flag: flagNameSchema.describe('The flag.'), value })),
    handle: async ({ query, ...context }) => {
      const { deps, project, principal } = context;
      const access = await accessOf(context, 'feature_flag');
      access.requireResource('viewer');
      const me = (await usersById(deps.db, [principal.userId])).get(principal.userId);
      if (!me) throw new ApiError('not_found');
      const { definitions, subject, environment } = await loadEvaluation(deps, project.id, {
        ...query,
        distinct_id: me.distinct_id,
      });
      const results = evaluateFlags(definitions.prepared, subject, environment);
      const names = await readNames(
        deps.db,
        project.id,
        definitions.flags.map(({ id }) => id),
      );
      const seen = names.filter((flag) => flag.active && access.levelOn(flag) !== 'none');
      return seen.map(({ id, key, name, active }) => ({
        feature_flag: { id, key, name, active },
        value: results.get(key)?.value ?? false,
      }));
    },
  }),
  projectRoute({
    method: 'POST',
    path: '/feature_flags/:id/test_evaluation/',
    params: flagParams,
    scope: 'feature_flag:read',
    summary: 'Evaluate a feature flag for a person, with every step of the decision',
    body: testSchema,
    status: 200,
    response: testedSchema,
    load: async (context) => {
      const { row } = await findVisible(context);
      if (row.deleted) throw new ApiError('not_found');
      return row;
    },
    handle: async ({ body, loaded: { key }, ...context }) => {
      const { deps, project } = context;
      // the steps name the values of properties
      await requireResourceLevel('person', 'viewer')(context);
      if (body.groups?.size) await requireResourceLevel('group', 'viewer')(context);
      return testFlag(await loadEvaluation(deps, project.id, body), key);
    },
  }),
];
