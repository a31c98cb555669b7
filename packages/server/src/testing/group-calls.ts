import { expect } from 'vitest';
import type { TestService } from './service.js';

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** Calls about groups, on a service of one test file. */
export interface GroupCalls {
  capture(...events: { event: string; distinct_id?: string; properties?: object; timestamp?: string }[]): Promise<void>;
  /** Status and body of a call below the project's prefix. */
  answer(method: Method, path: string, body?: unknown): Promise<[status: number, body: ReturnType<typeof JSON.parse>]>;
  /** The body of a read that succeeds. */
  get(path: string): Promise<ReturnType<typeof JSON.parse>>;
  /** Keys of the groups of a type that a list finds. */
  keys(query: string, index?: number): Promise<string[]>;
  /** Properties of a group in the event store. */
  inEvents(key: string): Promise<object[]>;
}

export function groupCalls(service: TestService): GroupCalls {
  const answer: GroupCalls['answer'] = async (method, path, body) => {
    const url = `/api/environments/${service.projectId}${path}`;
    const response = await service.call(method, url, body === undefined ? {} : { body });
    return [response.statusCode, response.body === '' ? null : response.json()];
  };
  const get: GroupCalls['get'] = async (path) => {
    const [status, body] = await answer('GET', path);
    expect([status, body]).toEqual([200, expect.anything()]);
    return body;
  };
  return {
    answer,
    get,
    capture: async (...events) => {
      const batch = events.map((event) => ({ distinct_id: 'ann', ...event }));
      const sent = await service.app.inject({ method: 'POST', url: '/batch/', payload: { api_key: service.projectKey, batch } });
      expect(sent.statusCode).toBe(200);
    },
    keys: async (query, index = 0) =>
      (await get(`/groups/?group_type_index=${index}&${query}`)).results.map((group: { group_key: string }) => group.group_key),
    inEvents: async (key) => {
      const { rows } = await service.deps.events.query<{ properties: object }>({
        sql: 'select properties from groups final where project_id = {p:UInt32} and group_type_index = 0 and group_key = {k:String}',
        params: { p: service.projectId, k: key },
      });
      return rows.map((row) => row.properties);
    },
  };
}

/** What an SDK sends to say something of a group. */
export const groupIdentify = (type: string, key: string, set: object = {}, timestamp?: string) => ({
  event: '$groupidentify',
  properties: { $group_type: type, $group_key: key, $group_set: set },
  ...(timestamp ? { timestamp } : {}),
});

/** The body of a refused field. */
export const invalid = (detail: string, attr: string | null, code = 'invalid_input') => ({
  type: 'validation_error',
  code,
  detail,
  attr,
});

export const NOT_FOUND = { type: 'invalid_request', code: 'not_found', detail: 'Not found.', attr: null };
