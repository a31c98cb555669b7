import { queryOptions } from '@tanstack/react-query';
import { api, unwrap } from './api.js';

/** The person who is logged in; null: nobody. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async ({ signal }) => {
    // the session says without an error that nobody is logged in
    const { user } = await unwrap(api.GET('/api/session/', { signal }));
    return user && (await unwrap(api.GET('/api/users/{user_id}/', { params: { path: { user_id: '@me' } }, signal })));
  },
  staleTime: 60_000,
});

/** Whether a first account exists, and the state of the stores. */
export const preflightQuery = queryOptions({
  queryKey: ['preflight'],
  queryFn: ({ signal }) => unwrap(api.GET('/_preflight', { signal })),
  staleTime: 60_000,
});

/** An invite as the invited person sees it. @param id of the invite, from its address */
export const inviteQuery = (id: string) =>
  queryOptions({
    queryKey: ['invite', id],
    queryFn: ({ signal }) => unwrap(api.GET('/api/signup/{invite_id}/', { params: { path: { invite_id: id } }, signal })),
    retry: false,
  });

export const logIn = (body: { email: string; password: string }) => unwrap(api.POST('/api/login/', { body }));

export const logOut = () => unwrap(api.POST('/api/logout/', {}));

export interface SetUpFields {
  email: string;
  password: string;
  first_name: string;
  organization_name: string;
}

/** Creates the first account, with its organization and project, and logs in. */
export const setUp = (body: SetUpFields) => unwrap(api.POST('/api/signup/', { body }));

/** Creates the account of an invited person, and logs in; without fields, the person who is logged in joins. */
export const acceptInvite = (id: string, body: { first_name: string; password: string } | undefined) =>
  unwrap(api.POST('/api/signup/{invite_id}/', { params: { path: { invite_id: id } }, ...(body && { body }) } as never));

/** Whose password a link sets. @param token of the link, from its address */
export const resetQuery = (token: string) =>
  queryOptions({
    queryKey: ['reset', token],
    queryFn: ({ signal }) => unwrap(api.GET('/api/password_reset/{token}/', { params: { path: { token } }, signal })),
    retry: false,
  });

/** Sets the password by a link, ends the sessions of the account, and logs in. */
export const resetPassword = (token: string, password: string) =>
  unwrap(api.POST('/api/password_reset/{token}/', { params: { path: { token } }, body: { password } }));
