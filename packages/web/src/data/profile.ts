import { queryOptions } from '@tanstack/react-query';
import { api, unwrap } from './api.js';

/** What a person changes of their own account; a new e-mail address or password needs `current_password`. */
export interface ProfileFields {
  first_name?: string;
  last_name?: string;
  email?: string;
  password?: string;
  current_password?: string;
  theme_mode?: 'light' | 'dark' | 'system';
}

/** Changes the account of the person who is logged in. A new password ends all other sessions. */
export const changeProfile = (body: ProfileFields) =>
  unwrap(api.PATCH('/api/users/{user_id}/', { params: { path: { user_id: '@me' } }, body }));

const ME = { path: { user_id: '@me' } };

/** The log-in sessions of the person, the last used first. */
export const sessionsQuery = queryOptions({
  queryKey: ['me', 'sessions'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/users/{user_id}/sessions/', { params: ME, signal })),
});

export const endSession = (id: string) =>
  unwrap(api.DELETE('/api/users/{user_id}/sessions/{session_id}/', { params: { path: { user_id: '@me', session_id: id } } }));

/** Ends all sessions except that of this browser. */
export const endOtherSessions = () => unwrap(api.POST('/api/users/{user_id}/sessions/end_others/', { params: ME }));
