import { z } from 'zod';
import { type MembershipContext, membershipRoute } from '../../auth/index.js';
import { ADMIN, MEMBER } from '../../kernel/rights.js';
import {
  actorOf,
  addMember,
  memberView,
  removeMember,
  requireLevel,
  requireMayRemove,
  requireMember,
  setLevel,
  userUuidOf,
} from './members.js';
import { createSchema, memberSchema, patchSchema, putSchema } from './schema.js';
import { listMembers } from './store.js';

const ONE = '/explicit_members/:parent_membership__user__uuid/';
const params = { parent_membership__user__uuid: z.string().describe('UUID of the user, or `@me`.') };
type OneContext = MembershipContext & { params: Record<string, string> };

export const memberRoutes = [
  membershipRoute({
    method: 'GET',
    path: '/explicit_members/',
    scope: 'project:read',
    summary: 'List the explicit members of a project',
    status: 200,
    response: z.array(memberSchema),
    load: async (context) => requireLevel(actorOf(context), MEMBER),
    handle: async ({ deps, project }) => (await listMembers(deps.db, project.id)).map(memberView),
  }),
  membershipRoute({
    method: 'POST',
    path: '/explicit_members/',
    scope: 'project:write',
    summary: 'Make a user an explicit member of a project',
    body: createSchema,
    status: 201,
    response: memberSchema,
    load: async (context) => requireLevel(actorOf(context), ADMIN),
    handle: async ({ body, ...context }) => memberView(await addMember(context, body)),
  }),
  membershipRoute({
    method: 'GET',
    path: ONE,
    params,
    scope: 'project:read',
    summary: 'Retrieve an explicit member',
    status: 200,
    response: memberSchema,
    load: (context) => {
      requireLevel(actorOf(context), MEMBER);
      return requireMember(context, segmentOf(context));
    },
    handle: async ({ loaded }) => memberView(loaded),
  }),
  membershipRoute({
    method: 'PATCH',
    path: ONE,
    params,
    scope: 'project:write',
    summary: 'Change the level of an explicit member',
    body: patchSchema,
    status: 200,
    response: memberSchema,
    load: loadAsAdmin,
    handle: async ({ loaded, body, ...context }) => memberView(await setLevel(context, loaded, body.level)),
  }),
  membershipRoute({
    method: 'PUT',
    path: ONE,
    params,
    scope: 'project:write',
    summary: 'Change the level of an explicit member, naming the user again',
    body: putSchema,
    status: 200,
    response: memberSchema,
    load: loadAsAdmin,
    handle: async ({ loaded, body, ...context }) => memberView(await setLevel(context, loaded, body.level)),
  }),
  membershipRoute({
    method: 'DELETE',
    path: ONE,
    params,
    scope: 'project:write',
    summary: 'Take an explicit member out of a project, or leave it oneself',
    status: 204,
    load: (context) => {
      requireMayRemove(actorOf(context), segmentOf(context));
      return requireMember(context, segmentOf(context));
    },
    handle: ({ loaded, ...context }) => removeMember(context, loaded),
  }),
];

const segmentOf = (context: OneContext): string => userUuidOf(context, context.params['parent_membership__user__uuid'] ?? '');

async function loadAsAdmin(context: OneContext) {
  requireLevel(actorOf(context), ADMIN);
  return requireMember(context, segmentOf(context));
}
