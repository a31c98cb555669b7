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
