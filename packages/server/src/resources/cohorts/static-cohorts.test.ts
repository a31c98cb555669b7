import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resolvePersons } from '../../ingestion/identities/index.js';
import { insertDimensionRows } from '../../ingestion/writer/insert-events.js';
import { all, inCohort, leaf, PRO, startCohorts } from '../../testing/cohorts.js';
import { personTask } from '../../testing/people.js';
import type { TestService } from '../../testing/service.js';

let cohorts: Awaited<ReturnType<typeof startCohorts>>;
let service: TestService;
let prefix: string;
beforeAll(async () => {
  cohorts = await startCohorts();
  ({ service, prefix } = cohorts);
});
afterAll(() => service.close());

const create = (body: object) => cohorts.create(body);
const get = (url: string) => cohorts.get(url);
const namesIn = (id: number, query = '') => cohorts.namesIn(id, query);

describe('static cohorts', () => {
  test('each given person is in the cohort once', async () => {
    const bob = (await get(`/${(await create({ filters: all(leaf('plan', 'free')) })).id}/persons/`)).results[0];
    const made = await create({
      name: 'List',
      is_static: true,
      _create_static_person_ids: ['ann', 'ann', 'nobody', bob.uuid, 'bob'],
    });
    expect(made).toMatchObject({ is_static: true, cohort_type: 'static', count: 2, filters: {} });
    expect(await namesIn(made.id)).toEqual(['bob', 'ann']);
    const path = `${prefix}/${made.id}`;
    const add = await service.call('PATCH', `${path}/add_persons_to_static_cohort/`, {
      body: { person_ids: ['cleo', bob.uuid] },
    });
    expect(add.json()).toEqual({ success: true });
    expect(await get(`/${made.id}/`)).toMatchObject({ count: 3, version: 2 });
    const remove = () => service.call('PATCH', `${path}/remove_person_from_static_cohort/`, { body: { person_id: bob.uuid } });
    expect((await remove()).statusCode).toBe(200);
    expect((await remove()).statusCode).toBe(404);
    expect(await namesIn(made.id, '?limit=1')).toEqual(['cleo']);
    expect(await get(`/${made.id}/`)).toMatchObject({ count: 2, version: 3 });
    const inside = await create({ filters: all(inCohort(made.id), leaf('country', 'DE')) });
    expect(await namesIn(inside.id)).toEqual(['ann']);
    const changes = (await get(`/${made.id}/activity/`)).results[0].detail.changes;
    expect(changes).toMatchObject([{ field: 'count', before: 3, after: 2 }]);
  });

  test('the count is the number of its persons, and falls when persons are deleted', async () => {
    const tasks = [personTask({ projectId: service.projectId, distinctId: 'dan' })];
    await insertDimensionRows(service.deps, { ...(await resolvePersons(service.deps, tasks)), groups: [] });
    const { id } = await create({ is_static: true, _create_static_person_ids: ['ann', 'dan'] });
    const [dan] = (await get(`/${id}/persons/`)).results.filter(
      ({ distinct_ids: [own] }: { distinct_ids: string[] }) => own === 'dan',
    );
    const gone = await service.call('DELETE', `/api/projects/${service.projectId}/persons/${dan.uuid}/`);
    expect(gone.statusCode).toBe(204);
    expect(await namesIn(id)).toEqual(['ann']);
    expect(await get(`/${id}/`)).toMatchObject({ count: 1, version: 1 });
    expect((await get('/?type=static')).results.find((one: { id: number }) => one.id === id)).toMatchObject({ count: 1 });
  });

  test('only static cohorts take lists of persons', async () => {
    const { id } = await create({ filters: PRO });
    const answer = await service.call('PATCH', `${prefix}/${id}/add_persons_to_static_cohort/`, {
      body: { person_ids: ['ann'] },
    });
    expect(answer.statusCode).toBe(400);
  });

  test.each([
    ['ann\nbob\n', ['bob', 'ann']],
    ['\uFEFFname,distinct_id\r\n"Ann, A.","ann"\r\nx,nobody', ['ann']],
    ['name;E-Mail\nCleo;cleo@example.com\n', ['cleo']],
    ['', []],
    ['"ann', []],
    ['email\n\0\ncleo@example.com', ['cleo']],
  ])('persons are read from the file %j', async (text, people) => {
    const boundary = 'xxx';
    const field = (name: string, value: string, more = '') =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
    const payload = `${field('is_static', 'true')}${field('csv', text, '; filename="people.csv"\r\nContent-Type: text/csv')}--${boundary}--\r\n`;
    const headers = {
      authorization: `Bearer ${service.personalKey}`,
      'content-type': `multipart/form-data; boundary=${boundary}`,
    };
    const answer = await service.app.inject({ method: 'POST', url: `${prefix}/`, headers, payload });
    expect(answer.statusCode).toBe(201);
    expect(await namesIn(answer.json().id)).toEqual(people);
  });

  test('a copy has the people of its original, and then people of its own', async () => {
    const { id } = await create({
      name: 'List',
      description: 'of two',
      is_static: true,
      _create_static_person_ids: ['ann', 'bob'],
    });
    const duplicate = async (of: number, body: object = {}) => {
      const answer = await service.call('POST', `${prefix}/${of}/duplicate/`, { body });
      expect(answer.statusCode).toBe(201);
      return answer.json();
    };
    const copy = await duplicate(id);
    expect(copy).toMatchObject({
      name: 'List (Copy)',
      description: 'of two',
      is_static: true,
      count: 2,
      version: 1,
      filters: {},
    });
    expect(copy.id).not.toBe(id);
    await service.call('PATCH', `${prefix}/${copy.id}/add_persons_to_static_cohort/`, { body: { person_ids: ['cleo'] } });
    expect([await namesIn(id), await namesIn(copy.id)]).toEqual([
      ['bob', 'ann'],
      ['cleo', 'bob', 'ann'],
    ]);
    const { id: dynamic } = await create({ filters: PRO });
    expect(await duplicate(dynamic)).toMatchObject({
      name: `Cohort ${dynamic} (Copy)`,
      is_static: false,
      count: 2,
      filters: PRO,
    });
    const long = await create({ name: 'x'.repeat(400), is_static: true });
    expect((await duplicate(long.id)).name).toBe(`${'x'.repeat(393)} (Copy)`);
    expect((await duplicate(long.id, { name: 'Short' })).name).toBe('Short');
    expect((await service.call('POST', `${prefix}/2147483647/duplicate/`, { body: {} })).statusCode).toBe(404);
  });

  test('concurrent requests that add the same persons add each once', async () => {
    const { id } = await create({ is_static: true });
    const add = (person_ids: string[]) =>
      service.call('PATCH', `${prefix}/${id}/add_persons_to_static_cohort/`, { body: { person_ids } });
    const answers = await Promise.all([...Array(6)].map((_, i) => add(i % 2 ? ['ann', 'bob'] : ['bob', 'cleo', 'ann'])));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(answers.map(() => 200));
    expect(await get(`/${id}/`)).toMatchObject({ count: 3, version: 7 });
  });
});
