import { z } from 'zod';
import { projectRoute } from '../../auth/index.js';
import { objectId } from '../../kernel/ids.js';
import { showAudience } from './audience.js';
import { audienceQuery, audienceSchema, dashboardAudienceQuery } from './audience-schema.js';
import { addPassword, changeSharing, refreshToken, removePassword, showSharing } from './change.js';
import { newPasswordSchema, passwordBody, passwordRefusal, sharingBody, sharingSchema } from './schema.js';
import { findEditable, type Shareable } from './shareable.js';

/** The routes of `sharing/` below one kind of object. */
export function sharingRoutes(shareable: Shareable) {
  const { kind, collection, param } = shareable;
  const named = kind.replace('_', ' ');
  const path = `/${collection}/:${param}/sharing/`;
  const params = { [param]: shareable.id };
  return [
    projectRoute({
      method: 'GET',
      path,
      scope: 'sharing_configuration:read',
      summary: `Retrieve how the ${named} is shared`,
      description: 'One object. It is made, switched off, when it is first asked for; from then on its token stays the same.',
      params,
      status: 200,
      response: sharingSchema,
      load: shareable.find,
      handle: ({ loaded, ...context }) => showSharing(context, loaded),
    }),
    projectRoute({
      method: 'PATCH',
      path,
      scope: 'sharing_configuration:write',
      summary: `Open the ${named} to the public, close it or change how its public page looks`,
      params,
      body: sharingBody,
      status: 200,
      response: sharingSchema,
      load: (context) => findEditable(shareable, context),
      handle: ({ loaded, body, ...context }) => changeSharing(context, loaded, body),
    }),
    projectRoute({
      method: 'POST',
      path: `${path}refresh/`,
      scope: 'sharing_configuration:write',
      summary: `Give the public page of the ${named} a new address`,
      description: 'The old address works for five more minutes.',
      params,
      status: 200,
      response: sharingSchema,
      load: (context) => findEditable(shareable, context),
      handle: ({ loaded, ...context }) => refreshToken(context, loaded),
    }),
  ];
}

/** The route of `sharing/audience/` below one kind of object. */
export function audienceRoutes(shareable: Shareable) {
  const { kind, collection, param } = shareable;
  const named = kind.replace('_', ' ');
  return [
    projectRoute({
      method: 'GET',
      path: `/${collection}/:${param}/sharing/audience/`,
      scope: 'sharing_configuration:read',
      summary: `Tell who sees the ${named}, and who would after a change of its sharing`,
      description:
        'For callers who may change how it is shared. The query parameters name a change that is thought of; nothing is changed.',
      params: { [param]: shareable.id },
      query: kind === 'dashboard' ? dashboardAudienceQuery : audienceQuery,
      status: 200,
      response: audienceSchema,
      load: (context) => findEditable(shareable, context),
      handle: ({ loaded, query, ...context }) => showAudience(context, loaded, query),
    }),
  ];
}

/** The routes of `sharing/passwords/` below one kind of object. Their errors are `{error}`, as clients of these endpoints expect. */
export function passwordRoutes(shareable: Shareable) {
  const { kind, collection, param } = shareable;
  const named = kind.replace('_', ' ');
  const path = `/${collection}/:${param}/sharing/passwords/`;
  const params = { [param]: shareable.id };
  return [
    projectRoute({
      method: 'POST',
      path,
      scope: 'sharing_configuration:write',
      summary: `Add a password for the public page of the ${named}`,
      description: 'The answer is the only one that shows the password.',
      params,
      body: passwordBody,
      status: 201,
      response: newPasswordSchema,
      responses: {
        400: {
          description: 'The password is too short, there are too many, or a field is not as it must be.',
          schema: passwordRefusal,
        },
      },
      load: (context) => findEditable(shareable, context),
      handle: async ({ loaded, body, ...context }) => {
        const added = await addPassword(context, loaded, body);
        return typeof added === 'string' ? context.reply.code(400).send({ error: added }) : added;
      },
    }),
    projectRoute({
      method: 'DELETE',
      path: `${path}:password_id/`,
      scope: 'sharing_configuration:write',
      summary: `Remove a password of the public page of the ${named}`,
      params: { ...params, password_id: z.int().describe('Number of the password.') },
      status: 204,
      responses: { 404: { description: 'There is no such password or object.', schema: passwordRefusal } },
      load: (context) => findEditable(shareable, context),
      handle: async ({ loaded, params: { password_id }, ...context }) => {
        const id = objectId(password_id);
        if (id !== null && (await removePassword(context, loaded, id))) return undefined;
        return context.reply.code(404).send({ error: 'Password not found.' });
      },
    }),
  ];
}
