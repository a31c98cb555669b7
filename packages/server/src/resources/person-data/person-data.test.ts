import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../../testing/service.js';
import { personExport } from './schema.js';

let service: TestService;
let prefix: string;
beforeAll(async () => {
  service = await startTestService();
  prefix = `/api/projects/${service.projectId}`;
  await service.call('PATCH', `${prefix}/`, { body: { session_recording_opt_in: true } });
});
afterAll(() => service?.close());

async function capture(event: string, distinct_id: string, properties: object = {}) {
  const body = { api_key: service.projectKey, event, distinct_id, properties };
  expect((await service.call('POST', '/capture/', { key: null, body })).statusCode).toBe(200);
}

async function record(session: string, distinct_id: string) {
  const at = service.clock.now();
  const data = [
    { type: 4, timestamp: at - 9_000, data: { href: 'https://a.example/' } },
    { type: 3, timestamp: at, data: { source: 2, type: 2 } },
  ];
  const properties = { $snapshot_data: data, $session_id: session, $window_id: 'w', token: service.projectKey, distinct_id };
  const sent = await service.call('POST', '/s/', { key: null, body: [{ event: '$snapshot', properties }] });
  expect(sent.json()).toEqual({ status: 'Ok' });
}

const personOf = async (distinctId: string) =>
  (await service.call('GET', `${prefix}/persons/?distinct_id=${distinctId}`)).json().results[0];
const recordings = async (distinctId: string) =>
  (await service.call('GET', `${prefix}/session_recordings/?distinct_ids=["${distinctId}"]`)).json().results.length;

test('the export of a person has everything that is stored about them, and nothing of others', async () => {
  await capture('looked', 'exp-anon', { 'odd.name': { a: [1, 'ü"'] } });
  await capture('$identify', 'exp', { $anon_distinct_id: 'exp-anon', $set: { email: 'exp@example.com' } });
  await capture('bought', 'exp', { amount: 7 });
  await capture('looked', 'somebody');
  await record('s-exp', 'exp');
  const person = await personOf('exp');
  const list = (await service.call('POST', `${prefix}/cohorts/`, { body: { name: 'Invited', is_static: true } })).json();
  await service.call('PATCH', `${prefix}/cohorts/${list.id}/add_persons_to_static_cohort/`, {
    body: { person_ids: [person.uuid] },
  });
  const answer = await service.call('GET', `${prefix}/persons/${person.uuid}/export/`);
  expect([answer.statusCode, answer.headers['content-disposition']]).toEqual([
    200,
    `attachment; filename="person-${person.uuid}.json"`,
  ]);
  const { events, ...file } = personExport.parse(JSON.parse(answer.body));
  expect(file).toMatchObject({
    person,
    distinct_ids: ['exp-anon', 'exp'],
    cohorts: [{ id: list.id, name: 'Invited' }],
    feature_flag_overrides: [],
    recordings: [{ id: 's-exp', start_url: 'https://a.example/', click_count: 1 }],
  });
  expect(events.map(({ event, distinct_id }) => [event, distinct_id])).toEqual([
    ['looked', 'exp-anon'],
    ['$identify', 'exp'],
    ['bought', 'exp'],
  ]);
  expect(events[0]?.properties).toMatchObject({ 'odd.name': { a: [1, 'ü"'] } });
  expect(events[2]?.properties).toMatchObject({ amount: 7 });
  expect((await service.call('GET', `${prefix}/persons/${person.id}00000/export/`)).statusCode).toBe(404);
});

test('an export of more events than one statement reads has each of them once', { timeout: 120_000 }, async () => {
  const at = new Date(service.clock.now() - 60_000).toISOString();
  for (let batch = 0; batch < 6; batch++) {
    const events = Array.from({ length: 1_000 }, (_, n) => ({
      event: `e${batch * 1_000 + n}`,
      distinct_id: 'busy',
      // many at the same time
      timestamp: at,
    }));
    const sent = await service.call('POST', '/batch/', { key: null, body: { api_key: service.projectKey, batch: events } });
    expect(sent.statusCode).toBe(200);
  }
  const { uuid } = await personOf('busy');
  const { events } = JSON.parse((await service.call('GET', `${prefix}/persons/${uuid}/export/`)).body);
  expect(events).toHaveLength(6_000);
  expect(new Set(events.map(({ event }: { event: string }) => event)).size).toBe(6_000);
});

test('recordings go with a person only if the request says so', async () => {
  for (const id of ['rec-stays', 'rec-goes']) {
    await capture('looked', id);
    await record(`s-${id}`, id);
  }
  const remove = async (id: string, query: string) =>
    (await service.call('DELETE', `${prefix}/persons/${(await personOf(id)).uuid}/?${query}`)).statusCode;
  expect(await remove('rec-stays', 'delete_recordings=perhaps')).toBe(400);
  expect(await remove('rec-stays', 'delete_events=true')).toBe(204);
  expect(await remove('rec-goes', 'delete_recordings=true')).toBe(204);
  expect([await recordings('rec-stays'), await recordings('rec-goes')]).toEqual([1, 0]);
});

test('persons are deleted together by ids and distinct ids', async () => {
  for (const id of ['bulk-a', 'bulk-b', 'bulk-c', 'bulk-d']) await capture('looked', id);
  await record('s-bulk-c', 'bulk-c');
  const [a, b] = [await personOf('bulk-a'), await personOf('bulk-b')];
  const bulk = (body: object) => service.call('POST', `${prefix}/persons/bulk_delete/`, { body });
  const answer = await bulk({
    ids: [a.uuid, String(b.id), 'nobody', '00000000-0000-5000-8000-000000000000'],
    distinct_ids: ['bulk-c', 'bulk-a', 'nobody'],
    delete_events: true,
    delete_recordings: true,
  });
  expect([answer.statusCode, answer.json()]).toEqual([
    202,
    {
      persons_found: 3,
      persons_deleted: 3,
      events_queued_for_deletion: true,
      recordings_queued_for_deletion: true,
      deletion_errors: [],
    },
  ]);
  expect(await Promise.all(['bulk-a', 'bulk-b', 'bulk-c'].map(personOf))).toEqual([undefined, undefined, undefined]);
  expect(await personOf('bulk-d')).toBeDefined();
  expect(await recordings('bulk-c')).toBe(0);
  expect((await bulk({})).statusCode).toBe(400);
  expect((await bulk({ distinct_ids: ['bulk-d'], keep_person: true })).json()).toMatchObject({ attr: 'keep_person' });
  expect(await personOf('bulk-d')).toBeDefined();
});
