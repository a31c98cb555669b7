import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cookieOf } from '../../testing/accounts-app.js';
import { all, inCohort, PRO, startCohorts } from '../../testing/cohorts.js';
import { eventRow } from '../../testing/events.js';
import { OWNER_PASSWORD, type TestService } from '../../testing/service.js';

let cohorts: Awaited<ReturnType<typeof startCohorts>>;
let service: TestService;
let prefix: string;
beforeAll(async () => {
  cohorts = await startCohorts();
  ({ service, prefix } = cohorts);
});
afterAll(() => service.close());

const create = (body: object) => cohorts.create(body);
const patch = (id: number, body: object) => cohorts.patch(id, body);

test('queries filter by cohorts', async () => {
  const { projectId, deps, clock } = service;
  const { id } = await create({ filters: PRO });
  const list = await create({ is_static: true, _create_static_person_ids: ['bob', 'cleo'] });
  const people = (await service.call('GET', `/api/projects/${projectId}/persons/`)).json().results;
  const events = people.map((person: { uuid: string; distinct_ids: [string] }, index: number) =>
    eventRow(index, {
      project_id: projectId,
      event: 'seen',
      distinct_id: person.distinct_ids[0],
      person_id: person.uuid,
      timestamp: clock.now() - 1000,
    }),
  );
  await deps.events.insert('events', events, { token: 'seen' });
  const ask = async (properties: unknown) => {
    const query = { kind: 'EventsQuery', select: ['distinct_id'], event: 'seen', orderBy: ['distinct_id'], properties };
    const answer = await service.call('POST', `/api/projects/${projectId}/query/`, { body: { query } });
    return answer.statusCode === 200 ? answer.json().results.flat() : answer.json();
  };
  expect(await ask([inCohort(id)])).toEqual(['ann', 'cleo']);
  expect(await ask([inCohort(id, { operator: 'not_in' })])).toEqual(['bob']);
  expect(await ask([inCohort(list.id), inCohort(id)])).toEqual(['cleo']);
  expect(await ask({ type: 'OR', values: [inCohort(list.id), inCohort(id)] })).toEqual(['ann', 'bob', 'cleo']);
  expect(await ask([inCohort(999_999)])).toMatchObject({ code: 'invalid_input', detail: 'There is no cohort 999999.' });
  const series = [{ kind: 'EventsNode', event: 'seen', properties: [inCohort(list.id, { negation: true })] }];
  const query = { kind: 'TrendsQuery', series, properties: [inCohort(id)] };
  const trend = await service.call('POST', `/api/projects/${projectId}/query/`, { body: { query } });
  expect(trend.json().results[0].count).toBe(1);
});

test('of concurrent requests that use a cohort in a flag and delete it, one is refused', async () => {
  for (let i = 0; i < 6; i++) {
    const { id } = await create({ filters: PRO });
    const flag = { key: `race-${i}`, filters: { groups: [{ properties: [inCohort(id, { operator: 'in' })] }] } };
    const make = () => service.call('POST', `/api/projects/${service.projectId}/feature_flags/`, { body: flag });
    const remove = () => patch(id, { deleted: true });
    const answers = await Promise.all(i % 2 === 0 ? [make(), remove()] : [remove(), make()]);
    expect(answers.filter(({ statusCode }) => statusCode === 400)).toHaveLength(1);
  }
});

describe('access to cohorts', () => {
  test('keys need the scope of cohorts', async () => {
    const { db } = service.deps;
    const { id } = await create({ filters: PRO });
    const scopes = (scope: string) =>
      db
        .updateTable('personal_api_keys')
        .set({ scopes: [scope] })
        .execute();
    await scopes('cohort:read');
    const answers = [await service.call('GET', `${prefix}/${id}/`), await patch(id, { name: 'x' })];
    await scopes('*');
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 403]);
  });

  test('access rules decide who sees and who changes a cohort', async () => {
    const invite = await service.call('POST', '/api/organizations/@current/invites/', {
      body: { target_email: 'colleague@example.com' },
    });
    const signup = `/api/signup/${invite.json().id}/`;
    const joined = await service.call('POST', signup, { key: null, body: { first_name: 'New', password: OWNER_PASSWORD } });
    const cookie = cookieOf(joined);
    const asColleague = async (method: 'GET' | 'PATCH', path: string, body?: object) =>
      service.call(method, `${prefix}${path}`, { key: null, headers: { cookie }, body });
    const { id } = await create({ name: 'Ruled', filters: PRO });
    const statuses = async () => [
      (await asColleague('GET', `/${id}/`)).statusCode,
      (await asColleague('GET', `/${id}/persons/`)).statusCode,
      (await asColleague('PATCH', `/${id}/`, { description: 'mine' })).statusCode,
      (await asColleague('GET', '/?search=Ruled')).json().count,
    ];
    const rule = (access_level: string) => service.call('PUT', `${prefix}/${id}/access_controls/`, { body: { access_level } });
    expect(await statuses()).toEqual([200, 200, 200, 1]);
    expect((await rule('viewer')).statusCode).toBe(200);
    expect(await statuses()).toEqual([200, 200, 403, 1]);
    await rule('none');
    expect(await statuses()).toEqual([403, 403, 403, 0]);
    const user = await create({ name: 'Hidden user', filters: all(inCohort(id)) });
    await service.call('PUT', `${prefix}/${user.id}/access_controls/`, { body: { access_level: 'none' } });
    await rule('editor');
    const refused = await asColleague('PATCH', `/${id}/`, { deleted: true });
    expect(refused.json().detail).toBe('This cohort is used by 1 that you cannot see. Take it out there first.');
  });
});
