import { expect } from 'vitest';
import type { TestService } from './service.js';

type Answer = Awaited<ReturnType<TestService['call']>>;
type Body = ReturnType<typeof JSON.parse>;

/** Calls about experiments, on a service of one test file. */
export interface ExperimentCalls {
  url: string;
  /** A flag key that nobody has used. */
  newKey(): string;
  create(fields?: object): Promise<Answer>;
  /** {@link create}, and the experiment. */
  made(fields?: object): Promise<Body>;
  act(id: number, action: string, body?: object): Promise<Answer>;
  patch(id: number, body: object): Promise<Answer>;
  /** A flag as it is stored. */
  flagOf(key: string): Promise<{ id: number; active: boolean; deleted: boolean; version: number; filters: unknown }>;
  /** Makes a flag; answers with its key and id. */
  insertFlag(filters: object): Promise<{ key: string; id: number }>;
}

export function experimentCalls(service: TestService): ExperimentCalls {
  const url = `/api/projects/${service.projectId}/experiments/`;
  let keys = 0;
  const newKey = () => `flag-${++keys}`;
  const create = (fields: object = {}) =>
    service.call('POST', url, { body: { name: 'Checkout', feature_flag_key: newKey(), ...fields } });
  return {
    url,
    newKey,
    create,
    made: async (fields) => {
      const answer = await create(fields);
      expect([answer.statusCode, answer.body]).toEqual([201, expect.any(String)]);
      return answer.json();
    },
    act: (id, action, body = {}) => service.call('POST', `${url}${id}/${action}/`, { body }),
    patch: (id, body) => service.call('PATCH', `${url}${id}/`, { body }),
    flagOf: (key) =>
      service.deps.db
        .selectFrom('feature_flags')
        .select(['id', 'active', 'deleted', 'version', 'filters'])
        .where('key', '=', key)
        .where('project_id', '=', service.projectId)
        .executeTakeFirstOrThrow(),
    insertFlag: async (filters) => {
      const key = newKey();
      const answer = await service.call('POST', url.replace('experiments', 'feature_flags'), { body: { key, filters } });
      expect([answer.statusCode, answer.body]).toEqual([201, expect.any(String)]);
      return { key, id: answer.json().id };
    },
  };
}

/** Variants of these percentages: control, test and third. */
export const variants = (...shares: number[]) =>
  shares.map((rollout_percentage, index) => ({ key: ['control', 'test', 'third'][index] ?? '', rollout_percentage }));

/** A metric as requests have it. */
export const metric = { metric_type: 'mean', source: { kind: 'EventsNode', event: 'paid' } };
