import { execFile } from 'node:child_process';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { errorMiddleware, init, type NodeClient, requestMiddleware } from '@tidemark/node';
import { type EventRecord, eventually, type Service, startService } from '@tidemark/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service?.close());

const stored = (event: string, count: number): Promise<EventRecord[]> =>
  eventually(
    async () => {
      const found = await service.events({ event });
      if (found.length < count) throw new Error(`${found.length} of ${count} events are visible`);
      return found;
    },
    { within: 15_000 },
  );

/** Runs a script with the SDK in a separate process, as users do. */
async function run(script: string, host = service.url): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = { ...process.env, KEY: service.account.projectKey, HOST: host };
  const cwd = fileURLToPath(new URL('..', import.meta.url));
  const lines = `import { init } from '@tidemark/node';\n${script}`;
  return promisify(execFile)(process.execPath, ['--input-type=module', '-e', lines], { env, cwd }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error) => error,
  );
}

/** A server without a framework: its handlers run one after another, and errors go to those that take four parameters, as in Express. */
function chain(client: NodeClient): Server {
  const route = (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => {
    if (request.url?.startsWith('/refused')) return next(Object.assign(new Error('not yours'), { status: 403 }));
    if (request.url?.startsWith('/broken')) return setImmediate(() => next(new RangeError('the shelf is empty')));
    request.resume().on('end', () => {
      client.capture({ event: 'shelf looked at' });
      response.end();
    });
  };
  const errors = errorMiddleware(client);
  return createServer((request, response) => {
    const fail = (error: unknown) =>
      errors(error, request, response, (passed) => {
        response.statusCode = passed instanceof Error && 'status' in passed ? Number(passed.status) : 500;
        response.end();
      });
    requestMiddleware(client)(request, response, () => route(request, response, fail));
  });
}

test('EXM-2 TRC-3 TRC-4 events and errors of a server have the distinct id of their request, and 4xx responses are no errors', async () => {
  const client = init(service.account.projectKey, { host: service.url });
  const server = chain(client);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const ask = async (path: string, id: string) => {
    const headers = { 'x-posthog-distinct-id': id, 'x-posthog-session-id': `session of ${id}` };
    return (await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body: 'x', headers })).status;
  };
  const people = ['ann', 'bob', 'eve'];
  expect(await Promise.all(people.map((id) => ask('/shelf', id)))).toEqual([200, 200, 200]);
  expect([await ask('/broken?card=4111', 'bob'), await ask('/refused', 'eve')]).toEqual([500, 403]);
  server.close();
  await client.shutdown();

  const looks = await stored('shelf looked at', 3);
  const whose = looks.map(({ distinct_id, properties }) => [distinct_id, (properties as Record<string, unknown>)['$session_id']]);
  expect(whose.sort()).toEqual(people.map((id) => [id, `session of ${id}`]));
  const errors = await stored('$exception', 1);
  expect(errors).toMatchObject([
    {
      distinct_id: 'bob',
      properties: {
        $exception_type: 'RangeError',
        $exception_message: 'the shelf is empty',
        $exception_source: 'express.error_handler',
        $exception_list: [{ mechanism: { type: 'middleware', handled: false } }],
        $request_path: '/broken',
        $session_id: 'session of bob',
      },
    },
  ]);
});

test('BAT-6 a script that captures a thousand events and shuts down delivers each once', async () => {
  const { code, stderr } = await run(`
    const analytics = init(process.env.KEY, { host: process.env.HOST });
    for (let i = 0; i < 1000; i++) analytics.capture({ distinctId: 'reader-' + (i % 9), event: 'row read', properties: { i } });
    await analytics.shutdown();`);
  expect([code, stderr]).toEqual([0, '']);
  const rows = await stored('row read', 1_000);
  const numbers = rows.map(({ properties }) => (properties as { i: number }).i);
  expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 1_000 }, (_, i) => i));
});

test('EXM-8 EXM-15 an unhandled rejection is stored, and the process exits as without the library', async () => {
  const { code, stderr } = await run(`
    init(process.env.KEY, { host: process.env.HOST, enableExceptionAutocapture: true });
    Promise.reject(new SyntaxError('nobody awaited this'));
    setTimeout(() => {}, 60_000);`);
  expect(code).toBe(1);
  expect(stderr).toContain('nobody awaited this');
  await eventually(
    async () => {
      const found = (await service.events({ event: '$exception' })).map(({ properties }) => properties);
      expect(found).toContainEqual(
        expect.objectContaining({
          $exception_type: 'SyntaxError',
          $exception_source: 'node.process_unhandled_rejection',
          $exception_level: 'fatal',
        }),
      );
    },
    { within: 15_000 },
  );
});

describe('a service that does not respond', () => {
  /** `refused`: nothing listens on the port. `hangs`: the server never responds. */
  const places = { refuses: '', hangs: '' };
  const silent = createTcpServer();
  beforeAll(async () => {
    const listen = async (server: ReturnType<typeof createTcpServer>) => {
      await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    };
    const gone = createTcpServer();
    places.refuses = await listen(gone);
    gone.close();
    places.hangs = await listen(silent);
  });
  afterAll(() => void silent.close());

  test.each(['refuses', 'hangs'] as const)(
    'connections that %s: BAT-7 shutdown resolves in time, logs the number of unsent events, and the process exits',
    async (place) => {
      // times out if the process waits for its requests
      const { code, stdout, stderr } = await run(
        `const analytics = init(process.env.KEY, { host: process.env.HOST, requestTimeout: 600_000 });
      for (let i = 0; i < 3; i++) analytics.capture({ distinctId: 'ann', event: 'lost' });
      void analytics.flush();
      await analytics.shutdown(300);
      console.log('shut down');`,
        places[place],
      );
      expect([code, stdout]).toEqual([0, 'shut down\n']);
      expect(stderr).toContain('3 events were not sent before the end: the service was not to be reached in 300 ms');
    },
  );

  test.each(['refuses', 'hangs'] as const)(
    'connections that %s: FLG-24 flags have their defaults, also if nothing else keeps the process alive',
    async (place) => {
      const { code, stdout } = await run(
        `const analytics = init(process.env.KEY, { host: process.env.HOST, personalApiKey: 'tms_1', featureFlagRequestTimeoutMs: 100 });
      const ready = await analytics.whenFlagsReady(200);
      const flag = await analytics.getFeatureFlag('any', 'ann', { defaultValue: true, tracking: false });
      const { featureFlags } = await analytics.getBootstrap('ann');
      await analytics.shutdown(0);
      console.log(JSON.stringify({ ready, flag, featureFlags }));`,
        places[place],
      );
      expect([code, stdout]).toEqual([0, '{"ready":false,"flag":true,"featureFlags":{}}\n']);
    },
  );
});
