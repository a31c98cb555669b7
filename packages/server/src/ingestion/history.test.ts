import { eventually, webEventMaker } from '@tidemark/testkit';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPropertiesCodec } from '../adapters/clickhouse/row-binary/index.js';
import { systemIds } from '../adapters/system/index.js';
import { decoding } from '../testing/decoding.js';
import { startTestService, type TestService } from '../testing/service.js';
import { createHistoryReader } from './decode/index.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service?.close());

/** Members of properties as JSON text: usual ones, and all on which a stage, the identities or the groups act. */
const member = fc.constantFrom(
  ...['"plan":"free"', '"plan":"pro"', '"price":12.5', '"$browser":"Firefox"', '"$browser":null', '"$os":"Linux"', '"$os":"iOS"'],
  ...[
    '"$current_url":"https://example.com/?a=\\u0026"',
    '"$pathname":"/ü"',
    '"title":"a \\"word\\""',
    '"list":[1,"a",{"b":null}]',
  ],
  ...[
    '"inner":{"a":{"b":1},"c":[]}',
    '"a.b":1',
    '"é":true',
    '"big":123456789012345678901',
    '"half":"\\ud800"',
    '"__proto__":{"a":1}',
  ],
  ...[
    '"$lib":"web"',
    '"$lib":"posthog-node"',
    '"$is_server":true',
    '"$process_person_profile":false',
    '"$process_person_profile":true',
  ],
  ...[
    '"$process_person_profile":null',
    '"$set":{"email":"a@example.com"}',
    '"$set":null',
    '"$set_once":{"first":1}',
    '"$unset":["email"]',
  ],
  ...[
    '"$ip":"81.2.69.142"',
    '"$ip":""',
    '"capture_internal":true',
    '"$geoip_disable":true',
    '"$groups":{"company":"acme"}',
    '"$group_0":"x"',
  ],
  ...[
    '"$heatmap_data":{"a":[1]}',
    '"$elements":[{"tag_name":"a","$el_text":"x"}]',
    '"$elements_chain":"a:b"',
    '"utm_source":"news"',
  ],
  ...[
    '"utm_source":null',
    '"gclid":"1"',
    '"token":"x"',
    '"distinct_id":"other"',
    '"$distinct_id":12345678901234567890',
    '"alias":"bob"',
  ],
  ...[
    '"$anon_distinct_id":"visitor"',
    '"$anon_distinct_id":"$posthog_cookieless"',
    '"$cookieless_mode":true',
    '"$device_id":"ann"',
  ],
  ...[
    '"$group_type":"company"',
    '"$group_key":"acme"',
    '"$group_set":{"name":"Acme"}',
    '"$feature_flag":"new-cart"',
    '"$ignore_sent_at":true',
  ],
);
const head = fc.record({
  event: fc.constantFrom(
    ...[
      '"$pageview"',
      '"$pageview"',
      '"$pageview"',
      '"bought"',
      '"bought"',
      '"büy"',
      '"a\\u0000b"',
      '"$identify"',
      '"$create_alias"',
    ],
    ...[
      '"$merge_dangerously"',
      '"$groupidentify"',
      '"$set"',
      '"$exception"',
      '"$snapshot"',
      '"$feature_flag_called"',
      '"$$heatmap"',
    ],
    ...['"$performance_event"', '"$$client_ingestion_warning"'],
  ),
  distinct_id: fc.constantFrom(
    '"ann"',
    '"ann"',
    '"bob"',
    '"visitor"',
    '"Zoë"',
    '17',
    '"$posthog_cookieless"',
    `"${'x'.repeat(300)}"`,
  ),
  timestamp: fc.oneof(
    fc
      .integer({ min: Date.UTC(2023, 0, 1), max: Date.UTC(2023, 11, 31) })
      .map((ms) => JSON.stringify(new Date(ms).toISOString())),
    fc.constantFrom('"1969-01-01T00:00:00Z"', '"2098-01-01T00:00:00Z"', '"soon"', '1700000000', '"2023-05-06 07:08:09"', 'null'),
  ),
});
const event = fc
  .record({
    head,
    members: fc.array(member, { maxLength: 8 }),
    repeats: fc.boolean(),
    more: fc.constantFrom('', '', '', ',"$set":{"top":1}', ',"offset":5'),
  })
  .map(({ head: { event, distinct_id, timestamp }, members, repeats, more }) => ({
    event,
    distinct_id,
    timestamp,
    members,
    repeats,
    more,
  }));

type HistoryEvent = typeof event extends fc.Arbitrary<infer Value> ? Value : never;

/** The events of a history as JSON text; those that repeat have the uuid of the one before. */
function textsOf(events: readonly HistoryEvent[]): string[] {
  let uuid = systemIds.uuid();
  return events.map(({ event, distinct_id, timestamp, members, repeats, more }) => {
    if (!repeats) uuid = systemIds.uuid();
    return `{"event":${event},"distinct_id":${distinct_id},"timestamp":${timestamp},"uuid":"${uuid}"${more},"properties":{${members.join()}}}`;
  });
}

/** Events around a history, without which its body is too small to be read in the short way. */
const make = webEventMaker(11, 20);
const padding = () =>
  Array.from({ length: 100 }, () => JSON.stringify(make({ uuid: systemIds.uuid(), timestamp: '2023-02-03T04:05:06Z' })));

async function newProject(): Promise<{ id: number; key: string }> {
  const { id, api_token: key } = (await service.call('POST', '/api/projects/', { body: { name: 'History' } })).json();
  return { id, key };
}

async function send(body: string): Promise<[number, string]> {
  const response = await service.app.inject({
    method: 'POST',
    url: '/batch/',
    headers: { 'content-type': 'application/json' },
    payload: body,
  });
  return [response.statusCode, response.body];
}

const SHORT = (key: string) => `{"api_key":"${key}","historical_migration":true,"batch":[`;
const USUAL = (key: string) => `{"historical_migration":true,"api_key":"${key}","batch":[`;

/** All that a project has of its events; people and uuids that the service made are named after what they belong to. */
async function contentOf(id: number) {
  const { rows: persons } = await sql<{ uuid: string; ids: string[] }>`
    select p.uuid, p.properties, p.is_identified, p.created_at, array_agg(d.distinct_id order by d.distinct_id) as ids
    from persons p join person_distinct_ids d on d.person_id = p.id where p.project_id = ${id} group by p.id order by ids`.execute(
    service.deps.db,
  );
  const { rows: groups } = await sql`
    select group_type_index, group_key, group_properties, created_at from groups where project_id = ${id} order by 1, 2`.execute(
    service.deps.db,
  );
  const ids = new Map(persons.map(({ uuid, ids }) => [uuid, ids]));
  const { rows: events } = await service.deps.events.query<{
    uuid: string;
    event: string;
    person_id: string;
    distinct_id: string;
  }>({
    sql: `select uuid, event, distinct_id, person_id, person_mode, timestamp, elements_chain, group_0, group_1, toString(properties) as properties
      from events final where project_id = {id:UInt32} order by distinct_id, timestamp, event, properties, uuid`,
    params: { id },
  });
  const { rows: overrides } = await service.deps.events.query<{ distinct_id: string; person_id: string }>({
    sql: 'select distinct_id, person_id from person_overrides final where project_id = {id:UInt32} order by distinct_id',
    params: { id },
  });
  const own = <T extends { person_id: string; distinct_id: string }>(row: T) => ({
    ...row,
    person_id: ids.get(row.person_id) ?? `of ${row.distinct_id}`,
  });
  return withoutNow({
    persons: persons.map(({ uuid: _, ...person }) => person),
    groups,
    // an event that was derived from another one has a new uuid
    events: events.map((row) => ({ ...own(row), ...(row.event === '$$heatmap' ? { uuid: null } : {}) })),
    overrides: overrides.map(own),
  });
}

/** Times of the requests are named. */
const withoutNow = <T>(content: T): T =>
  JSON.parse(
    JSON.stringify(content, (_, value) => (typeof value === 'string' && /^20(2[6-9]|[3-9]\d)-\d\d-/.test(value) ? 'now' : value)),
  );

async function definitionsOf(id: number) {
  const { db } = service.deps;
  const [events, properties, pairs, projects] = await Promise.all([
    sql`select name from event_definitions where project_id = ${id} order by 1`.execute(db),
    sql`select type, group_type_index, name, property_type from property_definitions where project_id = ${id} order by 1, 2, 3`.execute(
      db,
    ),
    sql`select event, property from event_properties where project_id = ${id} order by 1, 2`.execute(db),
    sql`select ingested_event from projects where id = ${id}`.execute(db),
  ]);
  return [events.rows, properties.rows, pairs.rows, projects.rows];
}

test('a history that is read in the short way is stored as any other request', async () => {
  const pairs: [number, number][] = [];
  await fc.assert(
    fc.asyncProperty(
      fc.array(event, { minLength: 1, maxLength: 40 }),
      fc.array(event, { maxLength: 40 }),
      async (first, second) => {
        const [short, usual] = [await newProject(), await newProject()];
        for (const part of [first, second]) {
          const texts = [...textsOf(part), ...padding()].join();
          const answers = [await send(`${SHORT(short.key)}${texts}]}`), await send(`${USUAL(usual.key)}${texts}]}`)];
          expect(answers[0]).toEqual(answers[1]);
          expect(answers[0]?.[0]).toBe(200);
        }
        const content = await contentOf(short.id);
        expect(content.events.length).toBeGreaterThan(190);
        expect(content).toEqual(await contentOf(usual.id));
        pairs.push([short.id, usual.id]);
      },
    ),
    { numRuns: 25 },
  );
  // definitions are written later
  for (const [short, usual] of pairs)
    await eventually(async () => {
      const definitions = await definitionsOf(short);
      expect(definitions[3]).toEqual([{ ingested_event: true }]);
      expect(definitions).toEqual(await definitionsOf(usual));
    });
});

test.each([
  ['is cut off', (text: string) => text.slice(0, -40)],
  ['has two values in a row', (text: string) => text.replace('"$os":', '"$os":1 ')],
  ['has an event that is no object', (text: string) => text.replace('{"uuid"', '7,{"uuid"')],
  ['has an event without a name', (text: string) => text.replace(/"event":"[^"]+"/, '"event":""')],
  ['has an event without a distinct id', (text: string) => text.replace('"distinct_id":', '"distinctid":')],
  ['has a uuid that is none', (text: string) => text.replace(/"uuid":"/, '"uuid":"x')],
  ['has something behind its end', (text: string) => `${text} x`],
  ['has an event of more than a megabyte', (text: string) => text.replace('"$os":"', `"$os":"${'x'.repeat(1_100_000)}`)],
  ['is of an unknown key', (text: string) => text.replace('tmk_', 'tmk_x')],
  [
    'is no UTF-8',
    (text: string) => Buffer.concat([Buffer.from(text.slice(0, 20_000)), Buffer.from([0xff]), Buffer.from(text.slice(20_000))]),
  ],
])('a history that %s is refused with the same words, and nothing of it is stored', async (_name, breakIt) => {
  const { id, key } = await newProject();
  const events = padding().join();
  const post = async (text: string) => {
    const response = await service.app.inject({
      method: 'POST',
      url: '/batch/',
      headers: { 'content-type': 'application/json' },
      payload: breakIt(text),
    });
    return [response.statusCode, response.body];
  };
  const answer = await post(`${SHORT(key)}${events}]}`);
  expect(answer[0]).toBeGreaterThanOrEqual(400);
  expect(answer).toEqual(await post(`${USUAL(key)}${events}]}`));
  expect((await contentOf(id)).events).toEqual([]);
});

test('events of pages are read in the short way', async () => {
  const readHistory = createHistoryReader(createPropertiesCodec());
  const envelope = await readHistory(Buffer.from(`${SHORT('tmk_1')}${padding().join()}]}`), decoding);
  expect(envelope?.plain?.filter((plain) => plain !== null)).toHaveLength(100);
});
