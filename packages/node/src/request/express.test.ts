import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import express, { type ErrorRequestHandler, type Express } from 'express';
import { expect, onTestFinished, test } from 'vitest';
import { startClient } from '../testing/start-client.js';
import { errorMiddleware, requestMiddleware } from './request-middleware.js';

const headers = { 'x-posthog-distinct-id': 'user-123', 'x-posthog-session-id': 'session-1' };

/** An application with both middlewares around its routes, and a handler of errors of its own after them. */
async function startApp(routes: (app: Express, client: ReturnType<typeof startClient>['client']) => void) {
  const { client, flushed } = startClient();
  const handled: unknown[] = [];
  const app = express();
  app.use(requestMiddleware(client));
  routes(app, client);
  app.use(errorMiddleware(client));
  const answer: ErrorRequestHandler = (error, _request, response, next) => {
    handled.push(error);
    if (response.headersSent) next(error);
    else response.status(500).json({ sorry: true });
  };
  app.use(answer);
  const server = createServer(app);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const ask = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, { headers, ...init });
  return { ask, flushed, handled };
}

test.each([
  [
    'thrown',
    () => {
      throw new TypeError('boom');
    },
  ],
  [
    'rejected later',
    async () => {
      await sleep(1);
      throw new TypeError('boom');
    },
  ],
  ['given to next', (_request: unknown, _response: unknown, next: (error: unknown) => void) => next(new TypeError('boom'))],
])('EXM-2 an error of an Express route that is %s is captured once, and the application responds', async (_how, route) => {
  const { ask, flushed, handled } = await startApp((app) => app.get('/shop/buy', route));
  const response = await ask('/shop/buy?card=4111');
  expect([response.status, await response.json()]).toEqual([500, { sorry: true }]);
  expect(handled).toEqual([new TypeError('boom')]);
  expect(await flushed()).toMatchObject([
    {
      event: '$exception',
      distinct_id: 'user-123',
      properties: {
        $session_id: 'session-1',
        $request_method: 'GET',
        $request_path: '/shop/buy',
        $exception_source: 'express.error_handler',
        $exception_list: [{ type: 'TypeError', value: 'boom', mechanism: { type: 'middleware', handled: false } }],
      },
    },
  ]);
});

test('a rejection without a reason is an error too, and the path is complete, also of mounted routers', async () => {
  const { ask, flushed } = await startApp((app) => app.use('/shop', () => Promise.reject()));
  expect((await ask('/shop/buy')).status).toBe(500);
  expect(await flushed()).toMatchObject([{ properties: { $request_path: '/shop/buy', $exception_message: 'Rejected promise' } }]);
});

test('4xx responses and requests without an error are not captured', async () => {
  const { ask, flushed, handled } = await startApp((app) => {
    app.get('/refused', async () => Promise.reject(Object.assign(new Error('no'), { status: 403 })));
    app.get('/fine', (_request, response) => response.json({ fine: true }));
  });
  expect((await ask('/fine')).status).toBe(200);
  expect((await ask('/missing')).status).toBe(404);
  await ask('/refused');
  expect(handled).toHaveLength(1);
  expect(await flushed()).toEqual([]);
});

test('an error after the response has begun is captured, and the response ends', async () => {
  const { ask, flushed } = await startApp((app) =>
    app.get('/half', async (_request, response) => {
      response.write('half');
      throw new Error('boom');
    }),
  );
  await expect(ask('/half').then((response) => response.text())).rejects.toThrow();
  expect(await flushed()).toHaveLength(1);
});

test('the distinct id that the application sets inside a request counts for errors, not that of the headers', async () => {
  const { ask, flushed } = await startApp((app, client) => {
    app.use((_request, _response, next) => client.withContext({ distinctId: 'signed-in' }, next));
    app.get('/broken', async () => {
      client.capture({ event: 'before' });
      await sleep(1);
      throw new Error('boom');
    });
  });
  await ask('/broken');
  const events = await flushed();
  expect(events.map(({ event, distinct_id, properties }) => [event, distinct_id, properties['$session_id']])).toEqual([
    ['before', 'signed-in', 'session-1'],
    ['$exception', 'signed-in', 'session-1'],
  ]);
});

test('it counts also if the application sets it before the middleware', async () => {
  const { client, flushed } = startClient();
  client.withContext({ distinctId: 'signed-in' }, () =>
    requestMiddleware(client)({ headers }, {}, () => void client.capture({ event: 'bought' })),
  );
  expect(await flushed()).toMatchObject([{ distinct_id: 'signed-in', properties: { $session_id: 'session-1' } }]);
});

test('TRC-4 requests have their own contexts after their bodies are parsed: concurrently, and in turn on one connection', async () => {
  const { ask, flushed } = await startApp((app, client) =>
    app.post('/buy', (request, response) => {
      request.resume().on('end', () => {
        const { remotePort: port } = request.socket;
        client.capture({ event: 'bought', properties: { by: request.headers['x-posthog-distinct-id'], port } });
        response.json({});
      });
    }),
  );
  const buy = async (id: string) =>
    (await ask('/buy', { method: 'POST', body: id.repeat(100_000), headers: { 'x-posthog-distinct-id': id } })).text();
  await Promise.all(['a', 'b', 'c'].map(buy));
  for (const id of ['d', 'e', 'f']) await buy(id);
  const events = await flushed();
  expect(events.map(({ distinct_id }) => distinct_id).sort()).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  expect(events.map(({ distinct_id }) => distinct_id)).toEqual(events.map(({ properties }) => properties['by']));
  // connections were used again
  expect(new Set(events.map(({ properties }) => properties['port'])).size).toBeLessThan(events.length);
});
