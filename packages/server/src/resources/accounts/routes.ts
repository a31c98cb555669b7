import { z } from 'zod';
import {
  authenticate,
  endSession,
  findSession,
  publicRoute,
  rejectCrossSiteWrite,
  startSession,
  type UserContext,
  userRoute,
  userView,
} from '../../auth/index.js';
import { readBody } from '../../http/body.js';
import { inTransaction } from '../../http/in-transaction.js';
import type { RequestContext } from '../../http/route.js';
import { validate } from '../../http/validate.js';
import { ApiError } from '../../kernel/errors.js';
import { acceptInvite, inviteParams, type OpenInvite, openInvite } from '../organizations/index.js';
import { isForm, logIn, masked, sendLogoutPage } from './login.js';
import { patchMe, showMe } from './me.js';
import {
  inviteSignupSchema,
  loggedInSchema,
  loginSchema,
  meSchema,
  openInviteSchema,
  patchMeSchema,
  signupSchema,
  userParams,
  welcomeSchema,
} from './schema.js';
import { requireOpenSignup, signUp, signUpInvited } from './signup.js';
import { readUser } from './store.js';

/** Routes of sign-up and log-in; their paths are complete. */
export const publicRoutes = [
  publicRoute({
    method: 'POST',
    path: '/api/signup/',
    scope: null,
    summary: 'Make an account with an organization and a project',
    body: signupSchema,
    status: 201,
    response: welcomeSchema,
    errors: [403],
    load: async ({ deps, request }) => {
      rejectCrossSiteWrite(request);
      await requireOpenSignup(deps);
    },
    handle: async ({ body, ...context }) => welcome(context, await signUp(context.deps, body)),
  }),
  publicRoute({
    method: 'GET',
    path: '/api/signup/:invite_id/',
    scope: null,
    summary: 'Retrieve an invite',
    params: inviteParams,
    status: 200,
    response: openInviteSchema,
    errors: [400],
    load: ({ deps, params }) => openInvite(deps, params['invite_id'] ?? ''),
    handle: async ({ loaded }) => ({
      id: loaded.id,
      target_email: masked(loaded.target_email),
      first_name: loaded.first_name,
      organization_name: loaded.organization_name,
    }),
  }),
  publicRoute({
    method: 'POST',
    path: '/api/signup/:invite_id/',
    scope: null,
    summary: 'Accept an invite: with a new account, or with the one that is logged in',
    description: 'Someone who is logged in sends nothing.',
    params: inviteParams,
    describedBody: inviteSignupSchema,
    status: 201,
    response: welcomeSchema,
    errors: [403],
    load: async ({ deps, request, params }) => {
      rejectCrossSiteWrite(request);
      return openInvite(deps, params['invite_id'] ?? '');
    },
    handle: async ({ loaded, ...context }) => welcome(context, await accept(context, loaded)),
  }),
  publicRoute({
    method: 'POST',
    path: '/api/login/',
    scope: null,
    summary: 'Log in',
    body: loginSchema,
    status: 200,
    response: loggedInSchema,
    errors: [403],
    load: async ({ request }) => rejectCrossSiteWrite(request),
    handle: async ({ body, ...context }) => {
      await logIn(context, body.email, body.password);
      return { success: true };
    },
  }),
  publicRoute({
    method: 'GET',
    path: '/logout/',
    scope: null,
    summary: 'Show a page with a button that logs out',
    description: 'The session goes on: a link or a picture on another site can send this request.',
    status: 200,
    mediaType: 'text/html',
    response: z.string().describe('A page for browsers.'),
    handle: async ({ reply }) => sendLogoutPage(reply),
  }),
];

/** Routes of log-out, mounted at the root and below `/api`. */
export const logoutRoutes = [
  publicRoute({
    method: 'POST',
    path: '/logout/',
    scope: null,
    summary: 'Log out',
    status: 204,
    responses: { 303: { description: 'Logged out by a form: the browser goes to the log-in page.', schema: null } },
    errors: [403],
    load: async ({ request }) => rejectCrossSiteWrite(request),
    handle: async (context) => {
      const { request, reply } = context;
      await endSession(context);
      return isForm(request) ? reply.redirect('/login', 303) : undefined;
    },
  }),
];

/** Routes under `/api/users`. */
export const userRoutes = [
  userRoute({
    method: 'GET',
    path: '/:user_id/',
    params: userParams,
    scope: 'user:read',
    summary: 'Retrieve the caller',
    status: 200,
    response: meSchema,
    load: requireSelf,
    handle: showMe,
  }),
  userRoute({
    method: 'PATCH',
    path: '/:user_id/',
    params: userParams,
    scope: 'user:write',
    summary: 'Change the caller',
    body: patchMeSchema,
    status: 200,
    response: meSchema,
    load: requireSelf,
    handle: async ({ body, ...context }) => {
      await patchMe(context, body);
      // where the caller is may have changed with it
      return showMe({ ...context, principal: await authenticate(context) });
    },
  }),
];

export async function requireSelf({ principal, params }: UserContext & { params: Record<string, string> }): Promise<void> {
  if (params['user_id'] !== '@me' && params['user_id'] !== principal.userUuid) throw new ApiError('not_found');
}

/** Accepts an invite: as the logged-in user, or else as a new one. @returns the user's id */
async function accept(context: RequestContext, invite: OpenInvite): Promise<number> {
  const { deps } = context;
  const session = await findSession(context);
  if (!session?.isActive) return signUpInvited(deps, invite, validate(inviteSignupSchema, await readBody(context.request)));
  if (session.email.toLowerCase() !== invite.target_email.toLowerCase()) throw new ApiError('invalid_recipient');
  await inTransaction(deps.db, (trx) => acceptInvite(trx, deps, invite, session.userId));
  return session.userId;
}

/** Logs the new user in and returns their view. */
async function welcome(context: RequestContext, userId: number) {
  const user = await readUser(context.deps.db, userId);
  if (!user) throw new ApiError('not_found');
  await startSession(context, userId);
  return { ...userView(user), redirect_url: '/' };
}
