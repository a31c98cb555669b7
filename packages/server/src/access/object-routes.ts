import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import { mountProjectRoutes, type ProjectContext, projectRoute } from '../auth/index.js';
import type { Deps } from '../deps.js';
import { ADMIN } from '../kernel/levels.js';
import type { Db } from '../ports/db.js';
import { type AccessObject, accessOf } from './access.js';
import { ACCESS_LEVELS, type AccessResource, DEFAULT_LEVEL, HIGHEST_LEVEL } from './levels.js';
import { putRule, type RuleChange } from './put-rule.js';
import { listRules } from './rules-store.js';
import { removedAnswer, ruleResponse, ruleSchema, rulesResponse } from './schema.js';
import { rulesView } from './view.js';

type LoadContext = ProjectContext & { params: Record<string, string> };

export interface AccessControlOptions<T extends AccessObject> {
  resource: AccessResource;
  /** Path of one object, such as `/dashboards/:id`. */
  path: string;
  /** The parameters of the path, for the API's description. */
  params?: Record<string, z.ZodType>;
  /** Finds the object. @throws ApiError not_found */
  load(context: LoadContext): Promise<T>;
  /** Called for each rule that is created, changed or removed, in the transaction of the change. */
  changed?(tx: Db, context: ProjectContext, object: T, change: RuleChange): Promise<void>;
}

/** Mounts `GET` and `PUT <path>/access_controls/`: the rules on one object. */
export function mountAccessControls<T extends AccessObject>(
  app: FastifyInstance,
  deps: Deps,
  { resource, path, params = {}, load, changed }: AccessControlOptions<T>,
): void {
  const loadWithAccess = async (context: LoadContext) => {
    const object = await load(context);
    const access = await accessOf(context, resource);
    const level = access.levelOn(object);
    const canEdit = level === HIGHEST_LEVEL || context.level >= ADMIN;
    if (!canEdit) access.requireOn(object, 'viewer');
    return { object, level, canEdit };
  };
  mountProjectRoutes(app, deps, [
    projectRoute({
      method: 'GET',
      path: `${path}/access_controls/`,
      params,
      scope: 'access_control:read',
      summary: `List the access rules of a ${words(resource)}`,
      response: rulesResponse,
      status: 200,
      load: loadWithAccess,
      handle: async ({ deps: { db }, project, loaded: { object, level, canEdit } }) => {
        const rows = await listRules(db, project.id, { resource, resourceId: String(object.id) });
        return rulesView(rows, ACCESS_LEVELS, DEFAULT_LEVEL, level, canEdit);
      },
    }),
    projectRoute({
      method: 'PUT',
      path: `${path}/access_controls/`,
      params,
      scope: 'access_control:write',
      summary: `Make, change or remove an access rule of a ${words(resource)}`,
      body: ruleSchema(ACCESS_LEVELS),
      response: ruleResponse,
      status: 200,
      responses: removedAnswer,
      load: loadWithAccess,
      handle: async ({ body, loaded: { object, canEdit }, ...context }) => {
        const target = { resource, resourceId: String(object.id) };
        const refusal = canEdit ? null : `Must be ${HIGHEST_LEVEL} to modify ${words(resource)} permissions.`;
        const onChange = async (tx: Db, change: RuleChange) => changed?.(tx, context, object, change);
        const rule = await putRule(context, target, body, refusal, onChange);
        return rule ?? context.reply.code(204).send();
      },
    }),
  ]);
}

const words = (resource: AccessResource): string => resource.replaceAll('_', ' ');
