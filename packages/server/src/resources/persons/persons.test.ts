import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { personUuid, resolvePersons } from '../../ingestion/identities/index.js';
import { recoverOutbox } from '../../ingestion/index.js';
import { insertDimensionRows } from '../../ingestion/writer/insert-events.js';
import { EventsUnavailable } from '../../ports/events.js';
import { purgePersons } from '../../purge/index.js';
import { identifyTask, personTask, testProject } from '../../testing/people.js';
import { startTestService, type TestService } from '../../testing/service.js';
import { showPersons } from './index.js';

const ANON_CLEO = '018bcfe5-6800-7000-8000-000000000000';
const T0 = 1_700_000_000_000;

let service: TestService;
let prefix: string;
beforeAll(async () => {
  service = await startTestService();
  prefix = `/api/projects/${service.projectId}/persons`;
  await know([
    personTask({ distinctId: 'ann', timestamp: T0, set: { email: 'ann@example.com', name: 'Ann', age: 7 } }),
    personTask({ distinctId: 'bob', timestamp: T0 + 1, set: { name: 'Bob 100%', email: ' ' } }),
    personTask({ distinctId: 'anon', timestamp: T0 + 2 }),
    identifyTask('cleo', ANON_CLEO, { timestamp: T0 + 3, set: { username: 'cleo_' } }),
  ]);
});
afterAll(() => service.close());

/** Persons as ingestion makes them, in both stores. */
async function know(tasks: Parameters<typeof resolvePersons>[1], projectId = service.projectId) {
  const batch = await resolvePersons(
    service.deps,
    tasks.map((task) => ({ ...task, projectId })),
  );
  await insertDimensionRows(service.deps, { ...batch, groups: [] });
  await service.deps.db.deleteFrom('analytics_outbox').execute();
}

async function get(url: string) {
  const response = await service.call('GET', url);
  expect(response.statusCode).toBe(200);
  return response.json();
}
const names = async (query: string) => (await get(`${prefix}/?${query}`)).results.map((person: { name: string }) => person.name);

describe('reading persons', () => {
  test('a person is found by number and by UUID, and has its distinct ids', async () => {
    const uuid = personUuid(service.projectId, 'cleo');
    const cleo = await get(`${prefix}/${uuid}/`);
    expect(cleo).toEqual({
      type: 'person',
      id: expect.any(Number),
      uuid,
      name: 'cleo_',
      distinct_ids: [ANON_CLEO, 'cleo'],
      properties: { username: 'cleo_' },
      created_at: '2023-11-14T22:13:20.003000Z',
      is_identified: true,
    });
    expect(await get(`/api/environments/${service.projectId}/persons/${cleo.id}`)).toEqual(cleo);
  });

  test('more persons are retrieved at once than a statement may have parameters for, as of a large cohort', async () => {
    const uuids = Array.from({ length: 70_000 }, (_, n) => personUuid(service.projectId, n === 69_999 ? 'ann' : `nobody ${n}`));
    const shown = await showPersons(service.deps.db, service.projectId, uuids);
    expect(shown.map(({ name }) => name)).toEqual(['ann@example.com']);
  });

  test.each(['999999', 'x', '00000000-0000-5000-8000-000000000000', '999999999999999999999'])('%s is not found', async (id) => {
    expect((await service.call('GET', `${prefix}/${id}/`)).statusCode).toBe(404);
    expect((await service.call('DELETE', `${prefix}/${id}/`)).statusCode).toBe(404);
  });

  test('lists are newest first, in pages without a count', async () => {
    expect(await names('')).toEqual(['cleo_', 'anon', 'Bob 100%', 'ann@example.com']);
    const page = await get(`${prefix}/?limit=3&search=`);
    expect(Object.keys(page)).toEqual(['next', 'previous', 'results']);
    expect(page.previous).toBeNull();
    const last = await get(page.next);
    expect(last.results.map((person: { name: string }) => person.name)).toEqual(['ann@example.com']);
    expect(last.next).toBeNull();
    expect((await get(last.previous)).results).toEqual(page.results);
  });

  test.each([
    [`distinct_id=${ANON_CLEO}`, ['cleo_']],
    ['distinct_id=nobody', []],
    ['email=ann@example.com', ['ann@example.com']],
    ['email=ann', []],
    ['search=EXAMPLE', ['ann@example.com']],
    ['search=100%25', ['Bob 100%']],
    ['search=100_', []],
    ['search=anon', ['anon']],
    ['search=ANN&distinct_id=bob', []],
    ['search=BOB&distinct_id=bob', ['Bob 100%']],
    ['search=bob&email=ann@example.com', []],
    [`search=${personUuid(1, 'nobody')}`, []],
    ["search='", []],
  ])('%s finds %j', async (query, found) => {
    expect(await names(query)).toEqual(found);
  });

  test('the project sets which properties are the name of a person', async () => {
    const path = `/api/projects/${service.projectId}/`;
    await service.call('PATCH', path, { body: { person_display_name_properties: ['age', 'name'] } });
    expect(await names('')).toEqual(['cleo', 'anon', 'Bob 100%', '7']);
    await service.call('PATCH', path, { body: { person_display_name_properties: null } });
    expect((await names(''))[0]).toBe('cleo_');
  });

  test('persons of another project are not found', async () => {
    const other = await testProject(service.deps.db);
    await know([personTask({ distinctId: 'ann' })], other);
    expect((await service.call('GET', `${prefix}/${personUuid(other, 'ann')}/`)).statusCode).toBe(404);
    expect((await service.call('DELETE', `${prefix}/${personUuid(other, 'ann')}/`)).statusCode).toBe(404);
    expect((await service.call('GET', `/api/projects/${other}/persons/`)).statusCode).toBe(404);
  });
});

describe('deleting a person', () => {
  const analytics = async () => {
    const { rows } = await service.deps.events.query<{ person_id: string; is_deleted: boolean }>({
      sql: 'select person_id, is_deleted from persons final where project_id = {project:UInt32}',
      params: { project: service.projectId },
    });
    return new Map(rows.map((row) => [row.person_id, row.is_deleted]));
  };
  const owner = async (distinctId: string) => {
    const { rows } = await service.deps.events.query<{ person_id: string }>({
      sql: 'select person_id from person_overrides final where project_id = {project:UInt32} and distinct_id = {id:String}',
      params: { project: service.projectId, id: distinctId },
    });
    return rows[0]?.person_id;
  };
  const own = (distinctId: string) => personUuid(service.projectId, distinctId);

  test('the person is deleted in both stores, and an event with its id creates a new person', async () => {
    await know([identifyTask('dan', 'dan-anon', { set: { secret: 1 } })]);
    expect(await owner('dan-anon')).toBe(own('dan'));
    const deleted = await service.call('DELETE', `${prefix}/${own('dan')}/`);
    expect([deleted.statusCode, deleted.body]).toEqual([204, '']);
    expect((await service.call('GET', `${prefix}/${own('dan')}/`)).statusCode).toBe(404);
    expect((await analytics()).get(own('dan'))).toBe(true);
    expect(await owner('dan-anon')).toBe(own('dan-anon'));
    expect(await service.deps.db.selectFrom('analytics_outbox').selectAll().execute()).toEqual([]);

    service.clock.advance(1);
    await know([personTask({ distinctId: 'dan-anon' }), personTask({ distinctId: 'dan' })]);
    expect((await analytics()).get(own('dan'))).toBe(false);
    expect((await get(`${prefix}/${own('dan')}/`)).properties).toEqual({});
  });

  test('delete_events deletes its events too, but not later events with the same ids', async () => {
    const token = (await get(`/api/projects/${service.projectId}/`)).api_token;
    const send = async (distinct_id: string, event: string) => {
      const sent = await service.call('POST', '/capture/', { key: null, body: { api_key: token, event, distinct_id } });
      expect(sent.statusCode).toBe(200);
    };
    const query = { kind: 'HogQLQuery', query: "select event from events where event like 'gus %' order by event" };
    const events = async () =>
      (await service.call('POST', `/api/projects/${service.projectId}/query/`, { body: { query } })).json().results.flat();
    await know([identifyTask('gus', 'gus-anon'), identifyTask('hal', 'hal-anon')]);
    await send('gus', 'gus 1');
    await send('gus-anon', 'gus 2');
    await send('hal', 'gus 3 is hal');
    expect((await service.call('DELETE', `${prefix}/${own('gus')}/?delete_events=maybe`)).statusCode).toBe(400);
    expect((await service.call('DELETE', `${prefix}/${own('hal')}/?delete_events=false`)).statusCode).toBe(204);
    expect((await service.call('DELETE', `${prefix}/${own('gus')}/?delete_events=true`)).statusCode).toBe(204);
    service.clock.advance(1);
    await send('gus', 'gus 4');

    await purgePersons(service.deps);
    expect(await events()).toHaveLength(4);
    service.clock.advance(10 * 60_000);
    await vi.waitFor(
      async () => {
        await purgePersons(service.deps);
        expect(await events()).toEqual(['gus 3 is hal', 'gus 4']);
      },
      { timeout: 60_000, interval: 100 },
    );
    await vi.waitFor(async () => {
      await purgePersons(service.deps);
      expect(await service.deps.db.selectFrom('person_purges').selectAll().execute()).toEqual([]);
    });
    service.clock.advance(-10 * 60_000);
  });

  test('a deletion while the event store is unavailable is completed later', async () => {
    await know([identifyTask('eve', 'eve-anon')]);
    const { events } = service.deps;
    const insert = events.insert;
    events.insert = () => Promise.reject(new EventsUnavailable());
    expect((await service.call('DELETE', `${prefix}/${own('eve')}/`)).statusCode).toBe(204);
    events.insert = insert;
    expect((await analytics()).get(own('eve'))).toBe(false);
    await recoverOutbox(service.deps);
    expect((await analytics()).get(own('eve'))).toBe(true);
    expect(await owner('eve-anon')).toBe(own('eve-anon'));
  });

  test('a deletion while the event store is unavailable for long leaves nothing of the person in it', async () => {
    await know([identifyTask('ivy', 'ivy-anon')]);
    const { db, events } = service.deps;
    const left = async () => {
      const { rows } = await events.query<{ n: number }>({
        sql: `select (select count() from person_overrides where distinct_id like 'ivy%') + (select count() from persons final
          where person_id in ({own:UUID}, {anonymous:UUID}) and not is_deleted) as n`,
        params: { own: own('ivy'), anonymous: own('ivy-anon') },
      });
      return rows[0]?.n;
    };
    expect(await left()).toBeGreaterThan(0);
    const insert = events.insert;
    events.insert = () => Promise.reject(new EventsUnavailable());
    expect((await service.call('DELETE', `${prefix}/${own('ivy')}/?delete_events=true`)).statusCode).toBe(204);
    events.insert = insert;
    service.clock.advance(10 * 60_000);
    // the event store is back, and the sweep of the outbox comes after the purge
    const { deleteEvents } = events;
    const erased: string[] = [];
    events.deleteEvents = (project, people) => {
      erased.push(...people.flatMap(({ distinctIds }) => distinctIds));
      return deleteEvents(project, people);
    };
    await purgePersons(service.deps);
    expect(erased).not.toContain('ivy');
    await recoverOutbox(service.deps);
    await expect
      .poll(async () => {
        await purgePersons(service.deps);
        return db.selectFrom('person_purges').select('id').execute();
      })
      .toEqual([]);
    events.deleteEvents = deleteEvents;
    expect(erased).toContain('ivy');
    expect(await left()).toBe(0);
    service.clock.advance(-10 * 60_000);
  });

  test('a deletion needs the right to write', async () => {
    const scopes = (scope: string) =>
      service.deps.db
        .updateTable('personal_api_keys')
        .set({ scopes: [scope] })
        .execute();
    await scopes('person:read');
    const refused = await service.call('DELETE', `${prefix}/${own('ann')}/`);
    await scopes('*');
    expect(refused.statusCode).toBe(403);
    expect(await names('distinct_id=ann')).toEqual(['ann@example.com']);
  });
});

describe('persons of another system', () => {
  const put = (persons: object[]) => service.call('POST', `${prefix}/`, { body: { persons } });

  test('a person comes with all distinct ids, properties and dates, without an event, and again without a change', async () => {
    const zoe = {
      distinct_ids: ['zoe', 'zoe-phone', 'guest'],
      properties: { email: 'zoe@example.com', plan: 'pro' },
      is_identified: true,
      created_at: '2021-05-01T10:00:00Z',
    };
    const first = await put([zoe, { distinct_ids: ['yan'] }]);
    expect(first.statusCode).toBe(200);
    const { results } = first.json();
    expect(results).toEqual([
      { uuid: expect.any(String), refused_ids: ['guest'] },
      { uuid: expect.any(String), refused_ids: [] },
    ]);
    const stored = await get(`${prefix}/${results[0].uuid}/`);
    expect(stored).toMatchObject({ ...zoe, distinct_ids: ['zoe', 'zoe-phone'] });
    expect((await put([zoe])).json().results[0].uuid).toBe(results[0].uuid);
    expect(await get(`${prefix}/${results[0].uuid}/`)).toEqual(stored);
    await service.call('POST', '/batch/', {
      key: null,
      body: {
        api_key: service.projectKey,
        historical_migration: true,
        batch: [{ event: 'imported', distinct_id: 'zoe-phone', timestamp: '2021-06-01T00:00:00Z', properties: {} }],
      },
    });
    const [event, ...others] = (await get(`/api/projects/${service.projectId}/events/?after=all&person_id=${results[0].uuid}`))
      .results;
    // history has no address of its sender, and a person that was put has no event
    expect([event, others]).toMatchObject([{ event: 'imported', properties: {}, person: { uuid: results[0].uuid } }, []]);
    expect(event.properties).not.toHaveProperty('$ip');
  });

  test('properties of persons who came without an event are offered in lists', async () => {
    await put([{ distinct_ids: ['offered'], properties: { shoe_size: 42 } }]);
    const path = `${prefix.replace(/persons$/, 'property_definitions')}/?type=person&search=shoe_size`;
    await expect
      .poll(async () => (await service.call('GET', path)).json().results)
      .toEqual([expect.objectContaining({ name: 'shoe_size', property_type: 'Numeric' })]);
  });

  test('persons who share a distinct id become one', async () => {
    await put([
      { distinct_ids: ['una'], properties: { a: 1 } },
      { distinct_ids: ['una-2'], properties: { b: 2 } },
    ]);
    const [joined] = (await put([{ distinct_ids: ['una', 'una-2'], properties: { c: 3 } }])).json().results;
    expect((await get(`${prefix}/${joined.uuid}/`)).properties).toEqual({ a: 1, b: 2, c: 3 });
  });

  test.each([
    [{ persons: [{}] }, 'persons__0__distinct_ids'],
    [{ persons: [{ distinct_ids: [] }] }, 'persons__0__distinct_ids'],
    [{ persons: 'ann' }, 'persons'],
    [{ persons: Array.from({ length: 1_001 }, () => ({ distinct_ids: ['a'] })) }, 'persons'],
  ])('malformed persons are refused: %#', async (body, attr) => {
    const response = await service.call('POST', `${prefix}/`, { body });
    expect([response.statusCode, response.json().attr]).toEqual([400, attr]);
  });
});

describe('searching persons', () => {
  test('a whole UUID finds its person', async () => {
    const id = personUuid(service.projectId, 'bob');
    expect(await names(`search=${id}`)).toEqual(['Bob 100%']);
    expect(await names(`search=${id.toUpperCase()}`)).toEqual(['Bob 100%']);
    expect(await names(`search=${id.slice(0, -1)}`)).toEqual([]);
  });

  test('what is found comes newest first, in pages', async () => {
    const named = (nth: number) => ({ timestamp: T0 + 100 + nth, set: { name: `Pat ${nth}` } });
    await know([1, 2, 3, 4, 5].map((nth) => personTask({ distinctId: `pat-${nth}`, ...named(nth) })));
    const pages: string[][] = [];
    let page = await get(`${prefix}/?limit=2&search=pat`);
    for (;;) {
      pages.push(page.results.map(({ name }: { name: string }) => name));
      if (!page.next) break;
      page = await get(page.next);
    }
    expect(pages).toEqual([['Pat 5', 'Pat 4'], ['Pat 3', 'Pat 2'], ['Pat 1']]);
  });

  test('a person is found by the name of now', async () => {
    await know([personTask({ distinctId: 'quinn', timestamp: T0 + 200, set: { name: 'Quinn', email: 'q@example.com' } })]);
    await know([personTask({ distinctId: 'quinn', timestamp: T0 + 201, set: { name: 'Robin' } })]);
    expect(await names('search=quin')).toEqual([]);
    expect(await names('search=robin')).toEqual(['q@example.com']);
    expect(await names('email=q@example.com')).toEqual(['q@example.com']);
  });

  test('an event that was acknowledged is enough to be found', async () => {
    const event = { event: 'x', distinct_id: 'sam', properties: { $set: { name: 'Sam Searched' } } };
    const body = { api_key: service.projectKey, batch: [event] };
    expect((await service.call('POST', '/batch/', { key: null, body })).statusCode).toBe(200);
    expect(await names('search=searched')).toEqual(['Sam Searched']);
  });
});
