import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '../../testing/service.js';

let service: TestService;
const ids: Record<string, string> = {};

beforeAll(async () => {
  service = await startTestService();
  const { db, ids: source } = service.deps;
  const own = { project_id: service.projectId };
  const at = (day: number) => new Date(Date.UTC(2024, 0, day));
  const times = (day: number) => ({ created_at: at(1), last_seen_at: at(day) });
  for (const [name, day] of [
    ['signed up', 2],
    ['$pageview', 4],
    ['Paid', 3],
  ] as const) {
    ids[name] = source.uuid();
    await db
      .insertInto('event_definitions')
      .values({ ...own, id: ids[name], name, ...times(day) })
      .execute();
  }
  const property = (name: string, type: string, property_type: string | null, group_type_index = -1) => ({
    ...own,
    id: source.uuid(),
    name,
    type,
    property_type,
    group_type_index,
    ...times(2),
  });
  await db
    .insertInto('property_definitions')
    .values([
      property('amount', 'event', 'Numeric'),
      property('$browser', 'event', 'String'),
      property('odd', 'event', null),
      property('email', 'person', 'String'),
      property('plan', 'group', 'String', 0),
      property('size', 'group', 'Numeric', 1),
    ])
    .execute();
  await db
    .insertInto('event_properties')
    .values({ ...own, event: 'Paid', property: 'odd', last_seen_at: at(2) })
    .execute();
});
afterAll(() => service.close());

const get = async (path: string) => {
  const answer = await service.call('GET', `/api/projects/${service.projectId}/${path}`);
  return { status: answer.statusCode, body: answer.json() };
};
const names = async (path: string) => (await get(path)).body.results.map(({ name }: { name: string }) => name);

describe('event_definitions/', () => {
  test('events are listed with the times when they were first and last seen', async () => {
    const { body } = await get('event_definitions/?search=paid');
    expect(body).toEqual({
      count: 1,
      next: null,
      previous: null,
      results: [
        {
          id: ids['Paid'],
          name: 'Paid',
          description: '',
          tags: [],
          created_at: '2024-01-01T00:00:00Z',
          last_seen_at: '2024-01-03T00:00:00Z',
          last_updated_at: '2024-01-03T00:00:00Z',
        },
      ],
    });
  });

  test('the list has the requested order and pages', async () => {
    expect(await names('event_definitions/?ordering=-last_seen_at')).toEqual(['$pageview', 'Paid', 'signed up']);
    const { body } = await get('event_definitions/?ordering=last_seen_at&limit=1&offset=1');
    expect(body).toMatchObject({ count: 3, results: [{ name: 'Paid' }] });
    expect(body.next).toContain('offset=2');
  });

  test('wildcards in a search are plain characters', async () => {
    expect(await names('event_definitions/?search=%25')).toEqual([]);
    expect(await names('event_definitions/?search=$PAGE')).toEqual(['$pageview']);
    expect((await get('event_definitions/?search=%00')).status).toBe(400);
  });

  test('one definition is retrieved, and unknown ones get 404', async () => {
    expect((await get(`event_definitions/${ids['Paid']}/`)).body).toMatchObject({ name: 'Paid' });
    expect((await get('event_definitions/00000000-0000-4000-8000-000000000000/')).status).toBe(404);
    expect((await get('event_definitions/paid/')).body).toMatchObject({ code: 'not_found', detail: 'Not found.' });
  });
});

describe('property_definitions/', () => {
  test('the properties of events are the default', async () => {
    const { body } = await get('property_definitions/?search=amount');
    expect(body.count).toBe(1);
    expect(body.results[0]).toMatchObject({
      name: 'amount',
      property_type: 'Numeric',
      is_numerical: true,
      tags: [],
      is_seen_on_filtered_events: null,
    });
    expect(await names('property_definitions/?type=person')).toEqual(['email']);
    expect(await names('property_definitions/?type=group')).toEqual(['plan', 'size']);
    expect(await names('property_definitions/?type=group&group_type_index=1')).toEqual(['size']);
  });

  test('properties of the named events come first, or alone', async () => {
    const eventNames = encodeURIComponent('["Paid"]');
    const { body } = await get(`property_definitions/?event_names=${eventNames}`);
    const seen = body.results.map((one: Record<string, unknown>) => [one['name'], one['is_seen_on_filtered_events']]);
    expect(seen[0]).toEqual(['odd', true]);
    expect(seen.slice(1).map(([, flag]: [string, boolean]) => flag)).toEqual([false, false]);
    expect(await names(`property_definitions/?event_names=${eventNames}&filter_by_event_names=true`)).toEqual(['odd']);
  });

  test.each([
    ['type=cohort', 'type'],
    ['event_names=Paid', 'event_names'],
    ['type=group&group_type_index=9', 'group_type_index'],
  ])('%s is refused', async (query, attr) => {
    expect(await get(`property_definitions/?${query}`)).toMatchObject({ status: 400, body: { type: 'validation_error', attr } });
  });
});
