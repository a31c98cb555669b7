import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { joinService } from '../../testing/join-service.js';
import { testProject } from '../../testing/people.js';
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
          verified: false,
          verified_at: null,
          verified_by: null,
          hidden: false,
          updated_at: null,
          updated_by: null,
          volume_30_day: 0,
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

describe('volumes of events', () => {
  test('events of the last 30 days are counted, and the list can be in that order', async () => {
    const capture = (event: string, count: number) =>
      Array.from({ length: count }, () => ({
        event,
        distinct_id: 'ann',
        timestamp: new Date(service.clock.now()).toISOString(),
      }));
    const batch = [
      ...capture('signed up', 2),
      ...capture('Paid', 3),
      { event: 'Paid', distinct_id: 'ann', timestamp: '2024-01-03' },
    ];
    await service.call('POST', '/batch/', { key: null, body: { api_key: service.projectKey, batch } });
    service.clock.advance(11 * 60_000);
    const { body } = await get('event_definitions/?ordering=-volume_30_day');
    const counted = body.results.map(({ name, volume_30_day }: Record<string, unknown>) => [name, volume_30_day]);
    expect(counted.slice(0, 3)).toEqual([
      ['Paid', 3],
      ['signed up', 2],
      ['$pageview', 0],
    ]);
  });
});

describe('changes of definitions', () => {
  const patch = async (path: string, body: object, key?: string) => {
    const answer = await service.call('PATCH', `/api/projects/${service.projectId}/${path}`, { body, ...(key ? { key } : {}) });
    return { status: answer.statusCode, body: answer.json() };
  };
  const activity = async (scope: string, id: string) =>
    (await get(`activity_log/?scope=${scope}&item_id=${id}`)).body.results.map(
      ({ activity, detail }: { activity: string; detail: { name: string; changes: { field: string }[] } }) => [
        activity,
        detail.name,
        detail.changes.map(({ field }) => field),
      ],
    );

  test('an event is described, tagged and verified, and the log has what changed', async () => {
    const path = `event_definitions/${ids['Paid']}/`;
    const fields = { description: 'An order was paid.', tags: ['Shop', 'shop', 'Money'], verified: true };
    expect(await patch(path, fields)).toMatchObject({
      status: 200,
      body: {
        name: 'Paid',
        description: 'An order was paid.',
        tags: ['shop', 'money'],
        verified: true,
        verified_by: { email: 'owner@example.com' },
        verified_at: expect.any(String),
        updated_by: { email: 'owner@example.com' },
      },
    });
    // what is sent again changes nothing
    await patch(path, fields);
    expect(await patch(path, { description: null })).toMatchObject({ body: { description: '', verified: true } });
    expect(await activity('EventDefinition', ids['Paid'] ?? '')).toEqual([
      ['updated', 'Paid', ['description']],
      ['updated', 'Paid', ['description', 'tags', 'verified']],
    ]);
    expect(await names('event_definitions/?verified=true')).toEqual(['Paid']);
    expect(await names('event_definitions/?tags=money,other')).toEqual(['Paid']);
    expect(await names('event_definitions/?tags=other')).toEqual([]);
    expect(await patch(path, { verified: false })).toMatchObject({ body: { verified_at: null, verified_by: null } });
  });

  test('lists leave hidden definitions out unless they are requested', async () => {
    const path = `event_definitions/${ids['$pageview']}/`;
    expect((await patch(path, { hidden: true })).body.hidden).toBe(true);
    expect(await names('event_definitions/')).not.toContain('$pageview');
    expect(await names('event_definitions/?exclude_hidden=false')).toContain('$pageview');
    expect(await names('event_definitions/?hidden=true')).toEqual(['$pageview']);
    expect((await get(path)).status).toBe(200);
    expect(await patch(path, { verified: true })).toMatchObject({
      status: 400,
      body: { attr: 'verified', code: 'invalid_input' },
    });
    expect(await patch(path, { hidden: false, verified: true })).toMatchObject({ status: 200, body: { hidden: false } });
  });

  test('a property is changed in the same way, and its list has the same filters', async () => {
    const [{ id }] = (await get('property_definitions/?search=amount')).body.results;
    const path = `property_definitions/${id}/`;
    expect(await patch(path, { hidden: true, tags: ['money'] })).toMatchObject({
      status: 200,
      body: { name: 'amount', hidden: true },
    });
    expect(await names('property_definitions/')).not.toContain('amount');
    expect(await names('property_definitions/?hidden=true&tags=money')).toEqual(['amount']);
    expect((await get(path)).body).toMatchObject({ name: 'amount', last_seen_at: '2024-01-02T00:00:00Z' });
    expect(await activity('PropertyDefinition', id)).toEqual([['updated', 'amount', ['tags', 'hidden']]]);
  });

  test.each<[object, string]>([
    [{ description: 'x'.repeat(10_001) }, 'description'],
    [{ tags: 'money' }, 'tags'],
    [{ tags: [7, null] }, 'tags__1'],
    [{ hidden: 'perhaps' }, 'hidden'],
    [{ verified: true, hidden: true }, 'hidden'],
  ])('%j is refused', async (body, attr) => {
    expect(await patch(`event_definitions/${ids['Paid']}/`, body)).toMatchObject({ status: 400, body: { attr } });
  });

  test('viewers, keys without the scope and other projects cannot change a definition', async () => {
    const member = await joinService(service, 'viewer@example.com');
    const path = `event_definitions/${ids['Paid']}/`;
    const rule = (access_level: string | null) =>
      service.call('PUT', `/api/projects/${service.projectId}/resource_access_controls/`, {
        body: { resource: 'event_definition', access_level },
      });
    expect((await rule('viewer')).statusCode).toBe(200);
    expect((await patch(path, { description: 'x' }, member.key)).status).toBe(403);
    await rule(null);
    expect((await patch(path, { description: 'x' }, member.key)).status).toBe(200);
    const limited = await service.call('POST', '/api/personal_api_keys/', {
      key: null,
      headers: { cookie: member.cookie },
      body: { label: 'read', scopes: ['event_definition:read'] },
    });
    expect((await patch(path, { description: 'y' }, limited.json().value)).body).toMatchObject({ code: 'permission_denied' });
    await service.deps.db
      .updateTable('event_definitions')
      .set({ project_id: await testProject(service.deps.db) })
      .where('id', '=', ids['Paid'] ?? '')
      .execute();
    expect([(await patch(path, { description: 'z' })).status, (await get(path)).status]).toEqual([404, 404]);
  });
});
