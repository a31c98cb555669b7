import { resolvePersons } from '../ingest/persons/index.js';
import { insertSideRows } from '../ingest/writer/insert-side-rows.js';
import { personTask } from './people.js';
import { startTestService, type TestService } from './service.js';

/** The service with three people: ann and cleo pay, ann and bob live in Germany. Below `prefix` are the cohorts. */
export async function startCohorts() {
  const service = await startTestService();
  const { projectId } = service;
  const tasks = [
    personTask({ projectId, distinctId: 'ann', set: { plan: 'pro', country: 'DE' } }),
    personTask({ projectId, distinctId: 'bob', set: { plan: 'free', country: 'DE' }, timestamp: 1_700_000_001_000 }),
    personTask({ projectId, distinctId: 'cleo', set: { plan: 'pro', email: 'cleo@example.com' }, timestamp: 1_700_000_002_000 }),
  ];
  const batch = await resolvePersons(service.deps, tasks);
  await insertSideRows(service.deps, { ...batch, groups: [] });
  const prefix = `/api/projects/${projectId}/cohorts`;
  return { service, prefix, ...callsOf(service, prefix) };
}

const callsOf = (service: TestService, prefix: string) => {
  const get = async (url: string) => (await service.call('GET', `${prefix}${url}`)).json();
  return {
    get,
    create: async (body: object) => {
      const answer = await service.call('POST', `${prefix}/`, { body });
      if (answer.statusCode !== 201) throw new Error(`no cohort made: ${answer.statusCode} ${answer.body}`);
      return answer.json();
    },
    patch: (id: number, body: object) => service.call('PATCH', `${prefix}/${id}/`, { body }),
    /** The first distinct ids of the people in a cohort. */
    namesIn: async (id: number, query = ''): Promise<string[]> =>
      (await get(`/${id}/persons/${query}`)).results.map((person: { distinct_ids: string[] }) => person.distinct_ids[0]),
  };
};

export const leaf = (key: string, value: unknown, more = {}) => ({ type: 'person', key, value, ...more });
export const inCohort = (value: unknown, more = {}) => ({ type: 'cohort', key: 'id', value, ...more });
export const all = (...values: unknown[]) => ({ properties: { type: 'AND', values } });
/** Who pays. */
export const PRO = all(leaf('plan', ['pro']));
