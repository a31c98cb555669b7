import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorMiddleware, init, type NodeClient, requestMiddleware } from '@tidemark/node';
import { type EventRecord, eventually, type Service, startService } from '@tidemark/testkit';
import express5, { type Express } from 'express';
import express4 from 'express4';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';

/* The middlewares in real applications, as docs/guide/node.md has them, against a running service. */

const VERSIONS = [
  { version: 5, express: express5 },
  { version: 4, express: express4 },
];

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service?.close());

/** The routes of a shop; `client` only captures events and identifies visitors. */
function sell(app: Express, { version, express }: (typeof VERSIONS)[number], client: NodeClient): void {
  app.disable('x-powered-by');
  // in production Express logs errors and hides them from the response
  app.set('env', 'production');
  app.use(express.json({ limit: '1mb' }));
  app.get('/fine', (_request, response) => response.json({ fine: true, by: client.getContext()?.distinctId ?? null }));
  app.post('/buy', async (request, response) => {
    await sleep(1);
    const { 'x-posthog-distinct-id': by } = request.headers;
    client.capture({ event: `bought ${version}`, properties: { by, length: request.body.note.length } });
    response.status(201).json({ by: client.getContext()?.distinctId ?? null });
  });
  const shelf = express.Router();
  shelf.get('/thrown', () => {
    throw new TypeError('thrown at once');
  });
  const reject = async () => {
    await sleep(1);
    throw new RangeError('rejected later');
  };
  // Express 4 ignores the promise of a route
  shelf.get('/rejected', version === 5 ? reject : (_request, _response, next) => void reject().catch(next));
  shelf.get('/refused', () => {
    throw Object.assign(new Error('not yours'), { status: 403, headers: { 'x-reason': 'yours' } });
  });
  shelf.get('/begun', (_request, response) => {
    response.write('half of it');
    throw new Error('broke in the middle');
  });
  app.use('/shelf', shelf);
}

async function listen(app: Express): Promise<string> {
  const server = createServer(app);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const headersOf = (person: string) => ({ 'x-posthog-distinct-id': person, 'x-posthog-session-id': `session of ${person}` });

/** The response without its date, or that it ended early. */
async function answerTo(url: string, init: RequestInit) {
  const response = await fetch(url, init);
  const { date: _, ...headers } = Object.fromEntries(response.headers);
  return { status: response.status, headers, body: await response.text().catch(() => 'cut off') };
}

/** A shop without and with the middlewares. */
async function openShops(one: (typeof VERSIONS)[number]) {
  const client = init(service.account.projectKey, { host: service.url });
  const plain = one.express();
  sell(plain, one, client);
  const observed = one.express();
  observed.use(requestMiddleware(client));
  sell(observed, one, client);
  observed.use(errorMiddleware(client));
  return { client, plain: await listen(plain), observed: await listen(observed) };
}

/** All captured events, once the last one is visible. */
async function captured(client: NodeClient, version: number): Promise<EventRecord[]> {
  await client.flush();
  const last = `closed ${version} ${Math.random()}`;
  client.capture({ distinctId: 'the shop', event: last });
  await client.shutdown();
  await eventually(async () => expect(await service.events({ event: last })).toHaveLength(1), { within: 60_000 });
  return [...(await service.events({ event: `bought ${version}` })), ...(await service.events({ event: '$exception' }))];
}

describe.each(VERSIONS)('Express $version', (one) => {
  const { version } = one;

  test('EXM-2 an error of a route is captured once with its request, and the response of Express is unchanged', async () => {
    const printed = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    onTestFinished(() => printed.mockRestore());
    const { client, plain, observed } = await openShops(one);
    const headers = headersOf(`ann ${version}`);
    for (const path of ['/fine', '/nowhere', '/shelf/thrown?card=4111', '/shelf/rejected', '/shelf/refused', '/shelf/begun']) {
      const asIs = await answerTo(plain + path, {});
      expect([path, await answerTo(observed + path, {})]).toEqual([path, asIs]);
      const { status } = await answerTo(observed + path, { headers });
      expect([path, status]).toEqual([path, asIs.status]);
    }
    // all four errors of three requests reached Express's own handler
    expect(printed.mock.calls.map(([stack]) => String(stack).split('\n')[0])).toEqual(
      ['TypeError: thrown at once', 'RangeError: rejected later', 'Error: not yours', 'Error: broke in the middle'].flatMap(
        (error) => [error, error, error],
      ),
    );
    const events = await captured(client, version);
    const facts = events
      .filter(({ distinct_id }) => distinct_id === `ann ${version}`)
      .map(({ properties }) => properties as Record<string, unknown>);
    const errors = [
      ['TypeError', 'thrown at once', '/shelf/thrown'],
      ['RangeError', 'rejected later', '/shelf/rejected'],
      ['Error', 'broke in the middle', '/shelf/begun'],
    ];
    const byPath = (a: unknown[], b: unknown[]) => (String(a[2]) < String(b[2]) ? -1 : 1);
    expect(
      facts.map((fact) => [fact['$exception_type'], fact['$exception_message'], fact['$request_path']]).sort(byPath),
    ).toEqual(errors.sort(byPath));
    for (const fact of facts) {
      expect(fact).toMatchObject({
        $request_method: 'GET',
        $session_id: `session of ann ${version}`,
        $exception_source: 'express.error_handler',
        $exception_list: [{ mechanism: { type: 'middleware', handled: false } }],
      });
    }
  });

  test('TRC-3 TRC-4 events have the distinct id of their request, also after the body is parsed and with concurrent requests', async () => {
    const { client, observed } = await openShops(one);
    const people = Array.from({ length: 8 }, (_, i) => `buyer ${version}.${i}`);
    const buy = async (person: string) => {
      const body = JSON.stringify({ note: person.repeat(20_000) });
      const headers = { ...headersOf(person), 'content-type': 'application/json' };
      const { status, body: text } = await answerTo(`${observed}/buy`, { method: 'POST', headers, body });
      return [status, JSON.parse(text).by];
    };
    expect(await Promise.all(people.map(buy))).toEqual(people.map((person) => [201, person]));
    const bought = (await captured(client, version)).filter(({ event }) => event === `bought ${version}`);
    expect(bought.map(({ distinct_id }) => distinct_id).sort()).toEqual(people);
    for (const { distinct_id, properties } of bought) {
      const person = String(distinct_id);
      expect(properties).toMatchObject({ by: person, length: person.length * 20_000, $session_id: `session of ${person}` });
    }
  });

  test('an application without the middlewares is unchanged', async () => {
    const printed = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    onTestFinished(() => printed.mockRestore());
    const { client, plain } = await openShops(one);
    const headers = headersOf(`stranger ${version}`);
    expect((await answerTo(`${plain}/fine`, { headers })).body).toBe('{"fine":true,"by":null}');
    expect((await answerTo(`${plain}/shelf/thrown`, { headers })).status).toBe(500);
    const events = await captured(client, version);
    expect(events.filter(({ distinct_id }) => distinct_id === `stranger ${version}`)).toEqual([]);
  });
});
