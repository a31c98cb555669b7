import { queryOptions } from '@tanstack/react-query';
import { api, type Schemas, unwrap } from './api.js';

export type ApiKey = Schemas['PersonalAPIKey'];

export interface KeyFields {
  label: string;
  scopes: string[];
  /** Numbers of the only projects that the key reaches; empty: all. */
  scoped_teams: number[];
}

/** The personal API keys of the person who is logged in. They are the same in every project. */
export const keysQuery = queryOptions({
  queryKey: ['me', 'keys'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/personal_api_keys/', { signal })),
});

/** The answer has the key itself in `value`: no later answer has it. */
export const createKey = (body: KeyFields) => unwrap(api.POST('/api/personal_api_keys/', { body }));

export const changeKey = (id: string, body: KeyFields) =>
  unwrap(api.PATCH('/api/personal_api_keys/{id}/', { params: { path: { id } }, body }));

/** Gives a key a new value, in `value` of the answer; the old one stops at once. */
export const rollKey = (id: string) => unwrap(api.POST('/api/personal_api_keys/{id}/roll/', { params: { path: { id } } }));

export const deleteKey = (id: string) => unwrap(api.DELETE('/api/personal_api_keys/{id}/', { params: { path: { id } } }));
