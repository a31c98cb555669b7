import { resolvePersons } from '../ingestion/identities/index.js';
import { insertDimensionRows } from '../ingestion/writer/insert-events.js';
import type { EventRow } from '../ports/events.js';
import { eventRow } from './events.js';
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
  await insertDimensionRows(service.deps, { ...batch, groups: [] });
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

/** An event of some days ago. */
export interface PastEvent {
  who: string;
  event?: string;
  daysAgo: number;
  properties?: EventRow['properties'];
}

let inserts = 0;

/** Stores past events with their persons. */
export async function putPastEvents({ deps, projectId, clock }: TestService, events: readonly PastEvent[]): Promise<void> {
  const persons = await deps.db
    .selectFrom('person_distinct_ids as d')
    .innerJoin('persons as p', 'p.id', 'd.person_id')
    .select(['d.distinct_id', 'p.uuid'])
    .where('d.project_id', '=', projectId)
    .execute();
  const rows = events.map(({ who, event = 'purchase', daysAgo, properties = {} }) =>
    eventRow(0, {
      project_id: projectId,
      uuid: deps.ids.uuid(),
      event,
      distinct_id: who,
      person_id: persons.find(({ distinct_id }) => distinct_id === who)?.uuid ?? deps.ids.uuid(),
      timestamp: clock.now() - daysAgo * 86_400_000,
      properties,
    }),
  );
  await deps.events.insert('events', rows, { token: `past-events-${++inserts}` });
}

/** That somebody bought something in the last 30 days by default. */
export const bought = (more: object = {}) => ({
  type: 'behavioral',
  key: 'purchase',
  value: 'performed_event',
  time_value: 30,
  time_interval: 'day',
  ...more,
});

export const leaf = (key: string, value: unknown, more = {}) => ({ type: 'person', key, value, ...more });
export const inCohort = (value: unknown, more = {}) => ({ type: 'cohort', key: 'id', value, ...more });
export const all = (...values: unknown[]) => ({ properties: { type: 'AND', values } });
/** Who pays. */
export const PRO = all(leaf('plan', ['pro']));
