import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { joinService, type ServiceMember } from '../../testing/join-service.js';
import { testProject } from '../../testing/people.js';
import { OWNER_EMAIL, OWNER_PASSWORD, startTestService, type TestService } from '../../testing/service.js';
import { MAX_EVENTS, MAX_PROJECT_STREAMS } from './channels.js';

let service: TestService;
let member: ServiceMember;
let url: string;
beforeAll(async () => {
  service = await startTestService();
  member = await joinService(service, 'reader@example.com');
  url = await service.app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => service.close());

interface Message {
  name: string;
  data: Record<string, unknown>;
}

/** A reader of a stream over a real connection. */
async function open(
  query = '',
  headers: Record<string, string> = { authorization: `Bearer ${service.personalKey}` },
  project = service.projectId,
) {
  const messages: Message[] = [];
  let rest = '';
  const outgoing = request(`${url}/api/projects/${project}/live/${query}`, { headers });
  outgoing.end();
  const response = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve).once('error', reject);
  });
  let isEnded = false;
  response.setEncoding('utf8').on('data', (text: string) => {
    rest += text;
    const blocks = rest.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const [name, data] = [/^event: (.*)$/m.exec(block)?.[1], /^data: (.*)$/m.exec(block)?.[1]];
      if (name && data) messages.push({ name, data: JSON.parse(data) });
    }
  });
  response.on('close', () => {
    isEnded = true;
  });
  // a connection that was cut is no fault of a test
  response.on('error', () => {});
  return {
    response,
    messages,
    named: (name: string) => messages.filter((message) => message.name === name).map(({ data }) => data),
    names: () => messages.filter(({ name }) => name === 'event').map(({ data }) => data['event']),
    isEnded: () => isEnded,
    close: () => outgoing.destroy(),
  };
}

const capture = async (events: object[], { key = service.projectKey, server = service } = {}) => {
  const batch = events.map((event) => ({ distinct_id: 'ann', ...event }));
  expect((await server.call('POST', '/batch/', { key: null, body: { api_key: key, batch } })).statusCode).toBe(200);
};
const soon = { timeout: 30_000, interval: 100 };

test('events arrive in the order of their capture, once, with their properties and person', async () => {
  await capture([{ event: 'before' }]);
  service.clock.advance(20);
  const reader = await open();
  expect(reader.response.statusCode).toBe(200);
  expect(reader.response.headers).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'x-accel-buffering': 'no',
  });
  await capture([{ event: 'first', properties: { plan: 'pro' } }]);
  await expect.poll(reader.names, soon).toEqual(['first']);
  await capture([{ event: 'second' }]);
  await expect.poll(reader.names, soon).toEqual(['first', 'second']);
  expect(reader.named('event')[0]).toEqual({
    uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
    event: 'first',
    distinct_id: 'ann',
    person_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    timestamp: expect.any(String),
    created_at: expect.any(String),
    properties: expect.objectContaining({ plan: 'pro' }),
    elements_chain: '',
  });
  await expect.poll(() => reader.named('activity').length, soon).toBeGreaterThan(0);
  reader.close();
  await expect.poll(() => service.deps.services.live.size(), soon).toBe(0);
});

test('a stream can be limited to an event, a person or properties, and readers do not disturb each other', async () => {
  const properties = encodeURIComponent(JSON.stringify([{ key: 'price', value: 10, operator: 'gt' }]));
  const readers = {
    all: await open(),
    same: await open(),
    paid: await open('?event=paid'),
    bob: await open('?distinct_id=bob'),
    dear: await open(`?properties=${properties}`),
  };
  await capture([
    { event: 'paid', properties: { price: 20 } },
    { event: 'seen', distinct_id: 'bob' },
    { event: 'paid', properties: { price: 5 } },
  ]);
  await expect.poll(() => readers.all.names().length, soon).toBe(3);
  await expect.poll(() => readers.same.names().length, soon).toBe(3);
  await expect.poll(readers.paid.names, soon).toEqual(['paid', 'paid']);
  await expect.poll(readers.bob.names, soon).toEqual(['seen']);
  await expect.poll(() => readers.dear.named('event').map((event) => event['properties']), soon).toMatchObject([{ price: 20 }]);
  const person = readers.bob.named('event')[0]?.['person_id'];
  const byPerson = await open(`?person_id=${person}`);
  readers.same.close();
  await capture([{ event: 'later', distinct_id: 'bob' }]);
  await expect.poll(byPerson.names, soon).toEqual(['later']);
  await expect.poll(() => readers.all.names().at(-1), soon).toBe('later');
  expect(readers.same.names()).toHaveLength(3);
  for (const reader of [readers.all, readers.paid, readers.bob, readers.dear, byPerson]) reader.close();
});

test('of too many events some are sent, and the others are counted', async () => {
  const reader = await open();
  const count = MAX_EVENTS * 4;
  await capture(Array.from({ length: count }, (_, index) => ({ event: 'many', properties: { index } })));
  const leftOut = () => reader.named('left_out').reduce((sum, data) => sum + Number(data['count']), 0);
  await expect.poll(() => reader.names().length + leftOut(), soon).toBe(count);
  expect(reader.names().length).toBeGreaterThanOrEqual(MAX_EVENTS);
  expect(leftOut()).toBeGreaterThan(0);
  reader.close();
});

test('a slow reader misses events, learns how many, and delays nobody else', async () => {
  const [slow, quick] = [await open('?event=large'), await open('?event=large')];
  slow.response.pause();
  const large = (index: number) => ({ event: 'large', properties: { index, text: 'x'.repeat(100_000) } });
  // more than the stream and both ends of the connection buffer
  for (let round = 0; round < 12; round++) {
    await capture(Array.from({ length: 15 }, (_, index) => large(round * 15 + index)));
    await expect.poll(() => quick.names().length, soon).toBe((round + 1) * 15);
  }
  slow.response.resume();
  // the next event brings the number of those before
  await expect.poll(() => slow.names().length, soon).toBeGreaterThan(0);
  await capture([large(180)]);
  const missed = () => slow.named('left_out').reduce((sum, data) => sum + Number(data['count']), 0);
  await expect.poll(() => slow.names().length + missed(), soon).toBe(181);
  expect(missed()).toBeGreaterThan(0);
  expect(quick.named('left_out')).toEqual([]);
  for (const reader of [slow, quick]) reader.close();
});

describe('access', () => {
  const revoked: [string, (headers: { key: string }) => Promise<unknown>][] = [
    ['the key is deleted', ({ key }) => service.deps.db.deleteFrom('personal_api_keys').where('label', '=', key).execute()],
    [
      'the user leaves the organization',
      () =>
        service
          .call('DELETE', `/api/organizations/@current/members/${member.uuid}/`)
          .then(({ statusCode }) => expect(statusCode).toBe(204)),
    ],
  ];
  test.each(revoked)('a stream ends when %s', async (_name, revoke) => {
    const label = 'to delete';
    const made = await service.call('POST', '/api/personal_api_keys/', {
      key: null,
      headers: { cookie: member.cookie },
      body: { label, scopes: ['query:read'] },
    });
    const reader = await open('', { authorization: `Bearer ${made.json().value}` });
    expect(reader.response.statusCode).toBe(200);
    await revoke({ key: label });
    await expect.poll(reader.isEnded, soon).toBe(true);
    expect(reader.messages.at(-1)).toEqual({ name: 'end', data: { reason: 'access_ended' } });
  });

  test('a stream ends when its session ends', async () => {
    const body = { email: OWNER_EMAIL, password: OWNER_PASSWORD };
    const login = await service.call('POST', '/api/login/', { key: null, body });
    const cookie = login.cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    const reader = await open('', { cookie });
    expect(reader.response.statusCode).toBe(200);
    await service.call('POST', '/logout', { key: null, headers: { cookie } });
    await expect.poll(reader.isEnded, soon).toBe(true);
    expect(reader.messages.at(-1)?.data).toEqual({ reason: 'access_ended' });
  });

  test('events of other projects are not sent, and their streams are closed to strangers', async () => {
    const made = (await service.call('POST', '/api/projects/', { body: { name: 'Other' } })).json();
    const reader = await open();
    await capture([{ event: 'theirs' }], { key: made.api_token });
    await capture([{ event: 'ours' }]);
    await expect.poll(reader.names, soon).toEqual(['ours']);
    reader.close();
    const foreign = await testProject(service.deps.db);
    for (const path of ['live/', 'live/activity/']) {
      expect((await service.call('GET', `/api/projects/${foreign}/${path}`)).statusCode).toBe(404);
      expect((await service.call('GET', `/api/projects/${service.projectId}/${path}`, { key: null })).statusCode).toBe(401);
    }
  });

  test.each([
    ['person_id=7', 'person_id'],
    ['properties={', 'properties'],
    [`properties=${encodeURIComponent('[{"key":"a","operator":"odd","value":1}]')}`, 'properties__0__operator'],
  ])('%s is refused', async (query, attr) => {
    const answer = await service.call('GET', `/api/projects/${service.projectId}/live/?${query}`);
    expect([answer.statusCode, answer.json().attr]).toEqual([400, attr]);
  });

  test('a project has a limited number of streams, and a closed one makes way', async () => {
    const readers = await Promise.all(Array.from({ length: MAX_PROJECT_STREAMS }, () => open()));
    const refused = await service.call('GET', `/api/projects/${service.projectId}/live/`);
    expect([refused.statusCode, Number(refused.headers['retry-after'])]).toEqual([429, 30]);
    readers[0]?.close();
    await expect.poll(() => service.deps.services.live.size(), soon).toBe(MAX_PROJECT_STREAMS - 1);
    const next = await open();
    expect(next.response.statusCode).toBe(200);
    for (const reader of [...readers, next]) reader.close();
  });
});

test('the activity has the people and events of the last half hour, minute by minute', async () => {
  const made = (await service.call('POST', '/api/projects/', { body: { name: 'Active' } })).json();
  const minutes = (count: number) => new Date(service.clock.now() - count * 60_000).toISOString();
  await capture(
    [
      { event: 'a', timestamp: minutes(1) },
      { event: 'a', distinct_id: 'bob', timestamp: minutes(2) },
      { event: 'b', distinct_id: 'bob', timestamp: minutes(2) },
      { event: 'old', distinct_id: 'eve', timestamp: minutes(45) },
    ],
    { key: made.api_token },
  );
  const { active_people, events, per_minute } = (await service.call('GET', `/api/projects/${made.id}/live/activity/`)).json();
  expect([active_people, events, per_minute.length]).toEqual([2, 3, 30]);
  expect(per_minute.slice(-4).reduce((sum: number, count: number) => sum + count, 0)).toBe(3);
});

test('a server that stops ends its streams with a word, and does not wait for them', async () => {
  const second = await startTestService({}, service);
  const secondUrl = await second.app.listen({ port: 0, host: '127.0.0.1' });
  const first = url;
  url = secondUrl;
  const reader = await open();
  url = first;
  expect(reader.response.statusCode).toBe(200);
  await second.close();
  await expect.poll(reader.isEnded, soon).toBe(true);
  expect(reader.messages.at(-1)).toEqual({ name: 'end', data: { reason: 'stopping' } });
});
