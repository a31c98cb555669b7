import { projectRoute } from '../../auth/index.js';
import { changeSharing, refreshToken, showSharing } from './change.js';
import { sharingBody, sharingSchema } from './schema.js';
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
