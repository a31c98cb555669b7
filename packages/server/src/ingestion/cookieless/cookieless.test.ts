import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../../testing/service.js';
import { forgetOldSalts } from './salts.js';

const DAY = 86_400_000;
const UA = 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0';

let service: TestService;
let projects = 0;
beforeAll(async () => {
  service = await startTestService({ trustedProxies: ['127.0.0.1'] });
});
afterAll(() => service?.close());

async function project(settings: object = { cookieless_server_hash_mode: 1 }) {
  const made = await service.call('POST', '/api/projects/', { body: { name: `Cookieless ${++projects}`, ...settings } });
  expect(made.statusCode, made.body).toBe(201);
  const { id, api_token: api_key } = made.json();
  const query = async <Row>(columns: string): Promise<Row[]> => {
    const sql = `select ${columns} from events where project_id = {project:UInt32} order by event`;
    return (await service.deps.events.query<Row>({ sql, params: { project: id } })).rows;
  };
  return {
    /** Captures as a page in cookieless mode does. */
    visit: async (event: string, { ip = '203.0.113.7', through = service, ...more }: Visit = {}) => {
      const properties = {
        $cookieless_mode: true,
        $raw_user_agent: UA,
        $host: 'shop.example',
        $process_person_profile: false,
        ...more.properties,
      };
      const body = { api_key, event, distinct_id: more.distinctId ?? '$posthog_cookieless', properties };
      const sent = await through.call('POST', '/i/v0/e/', { key: null, body, headers: { 'x-forwarded-for': ip } });
      expect(sent.statusCode, sent.body).toBe(200);
    },
    ids: async () => (await query<{ distinct_id: string }>('distinct_id')).map(({ distinct_id }) => distinct_id),
    query,
    persons: async () => (await service.call('GET', `/api/projects/${id}/persons/`)).json().results,
  };
}
interface Visit {
  ip?: string;
  distinctId?: string;
  properties?: object;
  through?: TestService;
}

test('events of a visitor have one id for a day, by project, address, browser and host', async () => {
  const it = await project();
  const other = await project();
  await it.visit('a1');
  await it.visit('a2');
  await it.visit('b', { ip: '203.0.113.8' });
  await it.visit('c', { properties: { $raw_user_agent: 'another browser' } });
  await it.visit('d', { properties: { $host: 'blog.example' } });
  await other.visit('e');
  const [a1, a2, ...others] = [...(await it.ids()), ...(await other.ids())];
  expect(a1).toMatch(/^cookieless_[\w-]{22}$/);
  expect(a2).toBe(a1);
  expect(new Set([a1, ...others]).size).toBe(5);
  expect(await it.persons()).toEqual([]);
  const [first] = await it.query<{ properties: string; mode: string }>(
    'toJSONString(properties) as properties, person_mode as mode',
  );
  expect(first?.mode).toBe('propertyless');
  const properties = JSON.parse(first?.properties ?? '');
  expect(properties).toMatchObject({ $cookieless_mode: true, $session_id: expect.stringMatching(/^[\da-f-]{36}$/) });
  for (const value of ['203.0.113.7', UA]) expect(JSON.stringify(properties)).not.toContain(value);
});

test('the next day has other ids, and the salt of the day before is gone', async () => {
  const it = await project();
  const salts = async () =>
    (await service.deps.db.selectFrom('cookieless_salts').select('salt').execute()).map(({ salt }) => salt);
  await it.visit('1 today');
  const [before] = await salts();
  service.clock.advance(DAY);
  await forgetOldSalts(service.deps);
  expect(await salts()).toEqual([]);
  await it.visit('2 tomorrow');
  const after = await salts();
  expect(after).toHaveLength(1);
  expect(after[0]?.equals(before ?? Buffer.alloc(0))).toBe(false);
  const [today, tomorrow] = await it.ids();
  expect(tomorrow).not.toBe(today);
  service.clock.advance(-DAY);
});

test('servers of one database give a visitor the same id', async () => {
  const it = await project();
  const second = await startTestService({ trustedProxies: ['127.0.0.1'] }, service);
  try {
    await it.visit('a');
    await it.visit('b', { through: second });
    const [first] = await it.ids();
    const { rows } = await second.deps.events.query<{ distinct_id: string }>({
      sql: "select distinct_id from events where event = 'b'",
    });
    expect(rows).toEqual([{ distinct_id: first }]);
  } finally {
    await second.close();
  }
});

test('without the setting, events that have no id at all are dropped, and others stay as they are', async () => {
  const it = await project({});
  await it.visit('nobody');
  await it.visit('own id', { distinctId: 'page-1', properties: { $device_id: 'page-1' } });
  expect(await it.ids()).toEqual(['page-1']);
  const dropped = await service.deps.metrics.getSingleMetricAsString('tidemark_ingest_dropped_events_total');
  expect(dropped).toContain('{reason="cookieless_off"} 1');
});

test('the id that a page has for as long as it is open is replaced, that of an identified visitor is not', async () => {
  const it = await project();
  await it.visit('1 anonymous', { distinctId: 'page-1', properties: { $device_id: 'page-1' } });
  await it.visit('2 reloaded', { distinctId: 'page-2', properties: { $device_id: 'page-2' } });
  const merge = { $anon_distinct_id: '$posthog_cookieless', $process_person_profile: true, $set: { plan: 'pro' } };
  await it.visit('$identify', { distinctId: 'ada', properties: { ...merge, $device_id: 'page-3' } });
  const [identified, anonymous, reloaded] = await it.ids();
  expect([identified, reloaded]).toEqual(['ada', anonymous]);
  expect(anonymous).toMatch(/^cookieless_/);
  expect(await it.persons()).toMatchObject([{ distinct_ids: ['ada'], properties: { plan: 'pro' } }]);
});

test('a hash mode that is not there is refused', async () => {
  const body = { name: 'Stateful', cookieless_server_hash_mode: 2 };
  expect((await service.call('POST', '/api/projects/', { body })).json()).toMatchObject({ attr: 'cookieless_server_hash_mode' });
});
