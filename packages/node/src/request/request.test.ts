import { request as ask, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fastify } from 'fastify';
import { describe, expect, test } from 'vitest';
import { fakeNode } from '../testing/fake-node.js';
import { flagsAnswer, PROJECT_KEY, startClient } from '../testing/start-client.js';
import { fastifyPlugin } from './fastify-plugin.js';
import { contextOf } from './request-headers.js';
import { errorMiddleware, requestMiddleware } from './request-middleware.js';

const headers = { 'X-POSTHOG-DISTINCT-ID': 'user-123', 'X-POSTHOG-SESSION-ID': 'session-1' };

describe('headers', () => {
  test('TRC-4 their names are case-insensitive, and those of Tidemark win over those of PostHog', () => {
    expect(contextOf({ 'x-posthog-distinct-id': 'a', 'X-PostHog-Session-Id': 'b' })).toEqual({ distinctId: 'a', sessionId: 'b' });
    expect(contextOf(new Headers({ 'X-Tidemark-Distinct-Id': 'own', 'X-Posthog-Distinct-Id': 'a' }))).toEqual({
      distinctId: 'own',
    });
    expect(contextOf({ 'x-posthog-distinct-id': ['first', 'second'] })).toEqual({ distinctId: 'first' });
  });

  test('TRC-6 values are trimmed, truncated and without control characters, and empty ones are ignored', () => {
    expect(contextOf({ 'x-posthog-distinct-id': '  us\ner-\u0000123\u007f ', 'x-posthog-session-id': ' \t ' })).toEqual({
      distinctId: 'user-123',
    });
    expect(contextOf({ 'x-posthog-distinct-id': 'x'.repeat(5_000) }).distinctId).toHaveLength(1_000);
    expect(contextOf({})).toEqual({});
  });
});

describe('context', () => {
  test('TRC-3 a captured event has the id and session of the request, and arguments of the call override them', async () => {
    const { client, flushed } = startClient();
    const middleware = requestMiddleware(client);
    middleware({ headers }, {}, () => {
      client.capture({ event: 'inside' });
      client.capture({ event: 'own', distinctId: 'user-456', properties: { $session_id: 'session-2' } });
    });
    client.capture({ event: 'outside' });
    expect(
      (await flushed()).map(({ event, distinct_id, properties }) => [event, distinct_id, properties['$session_id']]),
    ).toEqual([
      ['inside', 'user-123', 'session-1'],
      ['own', 'user-456', 'session-2'],
    ]);
  });

  test('TRC-4 concurrent requests have separate contexts', async () => {
    const { client, flushed } = startClient();
    const handle = (id: string, ms: number) =>
      client.withContext({ distinctId: id }, async () => {
        await sleep(ms);
        client.capture({ event: `of ${id}` });
      });
    await Promise.all([handle('a', 6), handle('b', 2), handle('c', 4)]);
    // which of them wakes up first is up to the machine
    expect((await flushed()).map(({ event, distinct_id }) => [event, distinct_id]).sort()).toEqual([
      ['of a', 'a'],
      ['of b', 'b'],
      ['of c', 'c'],
    ]);
    expect(client.getContext()).toBeUndefined();
  });

  test('a nested context adds to the outer one', () => {
    const { client } = startClient();
    client.withContext({ distinctId: 'a', sessionId: 's' }, () =>
      client.withContext({ distinctId: 'b', properties: { x: 1 } }, () =>
        expect(client.getContext()).toEqual({ distinctId: 'b', sessionId: 's', properties: { x: 1 } }),
      ),
    );
  });

  test('TRC-5 with a session only, events have one random id without a person, and flags are empty', async () => {
    const { client, node, flushed } = startClient();
    await client.withContext({ sessionId: 'session-1' }, async () => {
      client.capture({ event: 'one' });
      client.capture({ event: 'two' });
      expect(await client.getFeatureFlag('a')).toBeUndefined();
      expect((await client.evaluateFlags()).keys).toEqual([]);
    });
    client.withContext({}, () => client.capture({ event: 'another' }));
    const [one, two, another, ...more] = await flushed();
    expect(one).toMatchObject({ properties: { $session_id: 'session-1', $process_person_profile: false } });
    expect(one?.distinct_id).toMatch(/^[\da-f-]{36}$/);
    expect(two?.distinct_id).toBe(one?.distinct_id);
    expect(another?.distinct_id).not.toBe(one?.distinct_id);
    expect(more).toEqual([]);
    expect(node.requestsTo('/flags/')).toEqual([]);
  });

  test('flags are those of the person of the request', async () => {
    const node = fakeNode();
    node.answer('/flags/', flagsAnswer({ a: true }));
    const { client } = startClient({}, node);
    expect(await client.withContext({ distinctId: 'user-123' }, () => client.isFeatureEnabled('a'))).toBe(true);
    expect(node.requests[0]?.body).toMatchObject({ distinct_id: 'user-123' });
  });
});

describe('servers', () => {
  test('EXM-2 an error of an Express route is captured with the person of the request, and passed on', async () => {
    const { client, flushed } = startClient();
    const error = new TypeError('boom');
    const passed: unknown[] = [];
    const request = { headers, method: 'GET', url: '/buy?card=4111', originalUrl: '/shop/buy?card=4111' };
    errorMiddleware(client)(error, request, {}, (next) => passed.push(next));
    expect(passed).toEqual([error]);
    const [event] = await flushed();
    expect(event).toMatchObject({
      event: '$exception',
      distinct_id: 'user-123',
      properties: {
        $exception_source: 'express.error_handler',
        $exception_level: 'error',
        $exception_list: [{ mechanism: { type: 'middleware', handled: false } }],
        $session_id: 'session-1',
        $request_method: 'GET',
        $request_path: '/shop/buy',
      },
    });
    expect(JSON.stringify(event)).not.toContain('card');
  });

  test('Express takes it for an error handler by its four parameters, and 4xx errors are only passed on', async () => {
    const { client, flushed } = startClient();
    const handle = errorMiddleware(client);
    expect(handle).toHaveLength(4);
    const passed: unknown[] = [];
    const refusals = [Object.assign(new Error('no'), { status: 404 }), { statusCode: 403 }];
    for (const refusal of refusals) handle(refusal, { headers }, {}, (next) => passed.push(next));
    expect(passed).toEqual(refusals);
    expect(await flushed()).toEqual([]);
    handle(Object.assign(new Error('down'), { status: 503 }), { headers }, {}, () => {});
    handle('thrown text', { headers }, {}, () => {});
    expect(await flushed()).toHaveLength(2);
  });

  test('in a real server each request has its own context, also after its body', async () => {
    const { client, flushed } = startClient();
    const middleware = requestMiddleware(client);
    const server = createServer((incoming, response) => {
      middleware(incoming, response, () => {
        incoming.resume().on('end', async () => {
          await sleep(2);
          client.capture({ event: incoming.url ?? '' });
          response.end();
        });
      });
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const get = (id: string) =>
      new Promise((resolve) =>
        ask({ port, method: 'POST', path: `/${id}`, headers: { 'x-posthog-distinct-id': id } }, resolve).end(id.repeat(100_000)),
      );
    await Promise.all(['a', 'b', 'c'].map(get));
    server.close();
    const seen = (await flushed()).map(({ event, distinct_id }) => [event, distinct_id]);
    expect(seen.sort()).toEqual([
      ['/a', 'a'],
      ['/b', 'b'],
      ['/c', 'c'],
    ]);
  });

  test('EXM-2 Fastify: routes have the context, errors are captured, 4xx responses are not', async () => {
    const { client, flushed } = startClient();
    const app = fastify();
    await app.register(fastifyPlugin(client));
    app.post('/buy', async (request) => {
      await sleep(1);
      client.capture({ event: 'bought', properties: { body: request.body } });
      return 'ok';
    });
    app.get('/broken', async () => {
      throw new TypeError('boom');
    });
    app.get('/refused', async () => {
      throw Object.assign(new Error('no'), { statusCode: 403 });
    });
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    const post = (id: string) =>
      fetch(`${url}/buy`, {
        method: 'POST',
        body: '{"x":1}',
        headers: { 'content-type': 'application/json', 'x-posthog-distinct-id': id },
      });
    expect(await Promise.all(['a', 'b'].map(async (id) => (await post(id)).status))).toEqual([200, 200]);
    // one after the other, on a connection that was used before
    expect([(await post('c')).status, (await post('d')).status]).toEqual([200, 200]);
    expect((await fetch(`${url}/broken`, { headers })).status).toBe(500);
    expect((await fetch(`${url}/refused`, { headers })).status).toBe(403);
    await app.close();
    const events = await flushed();
    expect(
      events
        .slice(0, 4)
        .map(({ event, distinct_id }) => [event, distinct_id])
        .sort(),
    ).toEqual([
      ['bought', 'a'],
      ['bought', 'b'],
      ['bought', 'c'],
      ['bought', 'd'],
    ]);
    expect(events.slice(4)).toMatchObject([
      {
        event: '$exception',
        distinct_id: 'user-123',
        properties: { $exception_source: 'fastify.on_error', $exception_message: 'boom', $request_path: '/broken' },
      },
    ]);
  });
});

test('the distinct id that a Fastify hook sets counts, not that of the headers', async () => {
  const { client, flushed } = startClient();
  const app = fastify();
  await app.register(fastifyPlugin(client));
  app.addHook('onRequest', (_request, _reply, done) => client.withContext({ distinctId: 'signed-in' }, done));
  app.get('/broken', async () => {
    client.capture({ event: 'before' });
    throw new TypeError('boom');
  });
  await app.inject({ url: '/broken', headers });
  await app.close();
  const events = await flushed();
  expect(events.map(({ event, distinct_id, properties }) => [event, distinct_id, properties['$session_id']])).toEqual([
    ['before', 'signed-in', 'session-1'],
    ['$exception', 'signed-in', 'session-1'],
  ]);
});

describe('bootstrap', () => {
  const start = () => {
    const node = fakeNode();
    node.answer('/flags/', flagsAnswer({ 'beta-ui': 'blue', off: false }, { payloads: { 'beta-ui': '{"a":1}' } }));
    return startClient({}, node);
  };
  const cookie = (identity: object, name = `tm_${PROJECT_KEY.slice(-8)}.identity`) => {
    const marks: Record<string, string> = { '"': '!', ',': '*', '{': '(', '}': ')', ':': '~' };
    const value = encodeURIComponent(JSON.stringify(identity).replace(/[",{}:]/g, (mark) => marks[mark] ?? ''));
    return { headers: { cookie: `theme=dark; ${name}=${value}; tail=1` } };
  };
  const flags = { featureFlags: { 'beta-ui': 'blue', off: false }, featureFlagPayloads: { 'beta-ui': { a: 1 } } };

  test('for a known person it has the id and flags', async () => {
    const { client, flushed } = start();
    expect(await client.getBootstrap('user-123')).toEqual({ distinctId: 'user-123', isIdentifiedId: true, ...flags });
    expect(await flushed()).toEqual([]);
  });

  test("for a request it has the person of the browser's cookie", async () => {
    const { client, node } = start();
    expect(await client.getBootstrap(cookie({ a: 'anon-1', v: 'device-1', d: 'user-123', i: 1 }))).toMatchObject({
      distinctId: 'user-123',
      isIdentifiedId: true,
    });
    expect(await client.getBootstrap(cookie({ a: 'anon-1' }))).toEqual({ distinctId: 'anon-1', isIdentifiedId: false, ...flags });
    expect(await client.getBootstrap(cookie({ a: 'anon-2' }, `tm.${PROJECT_KEY}.default.identity`))).toMatchObject({
      distinctId: 'anon-2',
    });
    const named = cookie({ a: 'anon-3' }, `tm_${PROJECT_KEY.slice(-8)}.shop.identity`);
    expect(await client.getBootstrap(named, { instance: 'shop' })).toMatchObject({ distinctId: 'anon-3' });
    expect(await client.getBootstrap(named)).not.toMatchObject({ distinctId: 'anon-3' });
    expect(node.requests.map(({ body }) => body).slice(0, 3)).toMatchObject([
      { distinct_id: 'user-123', $device_id: 'device-1' },
      { distinct_id: 'anon-1', $device_id: 'anon-1' },
      { distinct_id: 'anon-2' },
    ]);
  });

  test.each([{}, { cookie: 'tm_89abcdef.identity=%7' }, { cookie: 'tm_89abcdef.identity=5' }])(
    'for a request whose cookie cannot be read (%j) it has a new id',
    async (headers) => {
      const { client } = start();
      const bootstrap = await client.getBootstrap({ headers });
      expect(bootstrap).toEqual({ distinctId: expect.stringMatching(/^[\da-f-]{36}$/), isIdentifiedId: false, ...flags });
    },
  );
});
