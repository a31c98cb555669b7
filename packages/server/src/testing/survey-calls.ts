import { expect } from 'vitest';
import type { TestService } from './service.js';

type Answer = ReturnType<TestService['call']>;
type Body = ReturnType<typeof JSON.parse>;

export const OPEN = { type: 'open', question: 'What is missing?' };

/** Calls about surveys, on a service of one test file. */
export interface SurveyCalls {
  post(body: unknown): Answer;
  patch(id: string, body: object): Answer;
  /** The body of a read. */
  get(url: string): Promise<Body>;
  /** A new survey, with a name and a question unless `body` has them. */
  create(body: object): Promise<Body>;
  makeFlag(key: string): Promise<Body>;
  /** The surveys that clients get, without credentials. */
  clientSurveys(): Promise<Body[]>;
  clientCopyOf(id: string): Promise<Body>;
  /** A time so many milliseconds from now, as ISO text. */
  fromNow(ms: number): string;
}

/** @param running gives the service, which starts later */
export function surveyCalls(running: () => TestService): SurveyCalls {
  const project = () => `/api/projects/${running().projectId}`;
  const calls: SurveyCalls = {
    post: (body) => running().call('POST', `${project()}/surveys/`, { body }),
    patch: (id, body) => running().call('PATCH', `${project()}/surveys/${id}/`, { body }),
    get: async (url) => (await running().call('GET', url)).json(),
    create: async (body) => {
      const answer = await calls.post({ name: 'Some', questions: [OPEN], ...body });
      expect([answer.statusCode, answer.body]).toEqual([201, expect.any(String)]);
      return answer.json();
    },
    makeFlag: async (key) => (await running().call('POST', `${project()}/feature_flags/`, { body: { key } })).json(),
    clientSurveys: async () =>
      (await running().call('GET', `/api/surveys/?token=${running().projectKey}`, { key: null })).json().surveys,
    clientCopyOf: async (id) => (await calls.clientSurveys()).find((survey: { id: string }) => survey.id === id),
    fromNow: (ms) => new Date(running().clock.now() + ms).toISOString(),
  };
  return calls;
}
