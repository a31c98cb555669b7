import { z } from 'zod';
import { userRoute } from '../../auth/index.js';
import { createKey, keyView, patchKey, removeKey, requireKey, rollKey } from './keys.js';
import { createSchema, keyParams, keySchema, patchSchema } from './schema.js';
import { listKeys } from './store.js';

/** Routes under `/api/personal_api_keys`. Keys cannot create or change keys: a stolen one must not outlive its removal. */
export const keyRoutes = [
  userRoute({
    method: 'GET',
    path: '/',
    scope: 'session',
    summary: "List the caller's personal API keys",
    status: 200,
    response: z.array(keySchema),
    handle: async ({ deps, principal }) => (await listKeys(deps.db, principal.userId)).map((row) => keyView(row)),
  }),
  userRoute({
    method: 'POST',
    path: '/',
    scope: 'session',
    summary: 'Create a personal API key',
    body: createSchema,
    status: 201,
    response: keySchema,
    handle: ({ body, ...context }) => createKey(context, body),
  }),
  userRoute({
    method: 'GET',
    path: '/:id/',
    params: keyParams,
    scope: 'any',
    summary: 'Retrieve a personal API key; `@current` is the one that asks',
    status: 200,
    response: keySchema,
    load: (context) => requireKey(context, context.params['id'] ?? ''),
    handle: async ({ loaded }) => keyView(loaded),
  }),
  userRoute({
    method: 'PATCH',
    path: '/:id/',
    params: keyParams,
    scope: 'session',
    summary: 'Change a personal API key',
    body: patchSchema,
    status: 200,
    response: keySchema,
    load: (context) => requireKey(context, context.params['id'] ?? ''),
    handle: ({ loaded, body, ...context }) => patchKey(context, loaded.id, body),
  }),
  userRoute({
    method: 'DELETE',
    path: '/:id/',
    params: keyParams,
    scope: 'session',
    summary: 'Delete a personal API key',
    status: 204,
    load: (context) => requireKey(context, context.params['id'] ?? ''),
    handle: ({ loaded, ...context }) => removeKey(context, loaded.id),
  }),
  userRoute({
    method: 'POST',
    path: '/:id/roll/',
    params: keyParams,
    scope: 'session',
    summary: 'Give a personal API key a new value',
    status: 200,
    response: keySchema,
    load: (context) => requireKey(context, context.params['id'] ?? ''),
    handle: ({ loaded, ...context }) => rollKey(context, loaded.id),
  }),
];
