import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import { mountProjectRoutes, type ProjectContext, projectRoute } from '../auth/index.js';
import type { Deps } from '../deps.js';
import { ADMIN } from '../kernel/rights.js';
import type { Db } from '../ports/db.js';
import { type AccessObject, accessOf } from './access.js';
import {
  ACCESS_LEVELS,
  type AccessResource,
  DEFAULT_LEVEL,
  HIGHEST_LEVEL,
  PROJECT_ACCESS_LEVELS,
  type ProjectAccessLevel,
} from './levels.js';
import { putRule, type RuleChange } from './put-rule.js';
import { listResourceRules, listRules } from './rules-store.js';
import { removedAnswer, resourceRuleSchema, ruleResponse, ruleSchema, rulesResponse, rulesView } from './schema.js';

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

const DEFAULT_PROJECT_LEVEL: ProjectAccessLevel = 'member';

interface ProjectAccessControlOptions {
  /** Called for each rule that is created, changed or removed, in the transaction of the change. */
  changed?(tx: Db, context: ProjectContext, change: RuleChange): Promise<void>;
}

/**
 * Mounts `access_controls/` (access to a project and its level) and `resource_access_controls/`, also known as
 * `global_access_controls/` (rules about all objects of a kind).
 */
export function mountProjectAccessControls(
  app: FastifyInstance,
  deps: Deps,
  { changed }: ProjectAccessControlOptions = {},
): void {
  const onChange = (context: ProjectContext) => async (tx: Db, change: RuleChange) => changed?.(tx, context, change);
  const resourceRoutes = (path: string) => [
    projectRoute({
      method: 'GET',
      path,
      scope: 'access_control:read',
      summary: 'List the access rules about all objects of a kind',
      response: rulesResponse,
      status: 200,
      handle: async ({ deps: { db }, project, level }) => {
        const rows = await listResourceRules(db, project.id);
        return rulesView(rows, ACCESS_LEVELS, DEFAULT_LEVEL, projectLevel(level), level >= ADMIN);
      },
    }),
    projectRoute({
      method: 'PUT',
      path,
      scope: 'access_control:write',
      summary: 'Make, change or remove an access rule about all objects of a kind',
      body: resourceRuleSchema(ACCESS_LEVELS),
      response: ruleResponse,
      status: 200,
      responses: removedAnswer,
      handle: async ({ body, ...context }) => {
        const refusal = context.level >= ADMIN ? null : 'Must be an Organization admin to modify project-wide permissions.';
        const target = { resource: body.resource, resourceId: null };
        const rule = await putRule(context, target, body, refusal, onChange(context));
        return rule ?? context.reply.code(204).send();
      },
    }),
  ];
  mountProjectRoutes(app, deps, [
    projectRoute({
      method: 'GET',
      path: '/access_controls/',
      scope: 'access_control:read',
      summary: 'List the access rules of a project',
      response: rulesResponse,
      status: 200,
      handle: async ({ deps: { db }, project, level }) => {
        const rows = await listRules(db, project.id, targetOf(project.id));
        return rulesView(rows, PROJECT_ACCESS_LEVELS, DEFAULT_PROJECT_LEVEL, projectLevel(level), level >= ADMIN);
      },
    }),
    projectRoute({
      method: 'PUT',
      path: '/access_controls/',
      scope: 'access_control:write',
      summary: 'Make, change or remove an access rule of a project',
      body: ruleSchema(PROJECT_ACCESS_LEVELS),
      response: ruleResponse,
      status: 200,
      responses: removedAnswer,
      handle: async ({ body, ...context }) => {
        const refusal = context.level >= ADMIN ? null : 'Must be admin to modify project permissions.';
        const rule = await putRule(context, targetOf(context.project.id), body, refusal, onChange(context));
        return rule ?? context.reply.code(204).send();
      },
    }),
    ...resourceRoutes('/resource_access_controls/'),
    ...resourceRoutes('/global_access_controls/'),
  ]);
}

const targetOf = (projectId: number) => ({ resource: 'project', resourceId: String(projectId) });

/** The name of a membership level in rules of a project. */
export const projectLevel = (level: number): ProjectAccessLevel => (level >= ADMIN ? 'admin' : 'member');
