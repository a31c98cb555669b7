import { createServer, type IncomingHttpHeaders } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, test, vi } from 'vitest';
import { startTestService, type TestService } from '../testing/service.js';

interface Received {
  url: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** The old service: answers each request by `respond`; null: never. */
async function startOldService(respond: (nth: number) => number | null) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ url: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) });
      const status = respond(received.length);
      if (status !== null) response.writeHead(status).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url, received, close };
}

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function start(respond: (nth: number) => number | null, more: object = {}) {
  const old = await startOldService(respond);
  const service = await startTestService({ forwardTo: old.url, ...more });
  closing.push(() => service.close(), old.close);
  return { old, service };
}

const event = (service: TestService, properties: object = {}) => ({
  api_key: service.projectKey,
  batch: [{ event: 'clicked', distinct_id: 'ann', properties }],
});
const results = async (service: TestService) => (await service.call('GET', '/metrics')).body;

test('captured requests arrive at the other service as they came, history and refused ones do not', async () => {
  const { old, service } = await start((nth) => (nth === 1 ? 503 : 200));
  const body = gzipSync(JSON.stringify(event(service)));
  const send = await service.app.inject({
    method: 'POST',
    url: '/e/?ip=1&compression=gzip-js',
    headers: { 'content-type': 'text/plain', 'user-agent': 'a browser' },
    remoteAddress: '203.0.113.9',
    payload: body,
  });
  expect(send.statusCode).toBe(200);
  const history = await service.call('POST', '/batch/', { key: null, body: { ...event(service), historical_migration: true } });
  const refused = await service.call('POST', '/batch/', { key: null, body: { api_key: service.projectKey, batch: [{}] } });
  expect([history.statusCode, refused.statusCode]).toEqual([200, 400]);
  // the first attempt failed
  await vi.waitFor(() => expect(old.received).toHaveLength(2), { timeout: 60_000 });
  expect(old.received[1]).toMatchObject({
    url: '/e/?ip=1&compression=gzip-js',
    headers: { 'content-type': 'text/plain', 'user-agent': 'a browser', 'x-forwarded-for': '203.0.113.9' },
    body,
  });
  await vi.waitFor(async () => expect(await results(service)).toContain('tidemark_forwarded_requests_total{result="sent"} 1'), {
    timeout: 60_000,
  });
});

test('a service that does not answer delays nobody, and the queue is bounded', async () => {
  const { old, service } = await start(() => null, { forwardQueueBytes: 20_000 });
  for (let n = 0; n < 40; n++) {
    const { statusCode } = await service.call('POST', '/batch/', { key: null, body: event(service, { n }) });
    expect(statusCode).toBe(200);
  }
  expect(await results(service)).toMatch(/tidemark_forwarded_requests_total\{result="dropped"\} [12]\d/);
  expect(old.received.length).toBeLessThanOrEqual(8);
  const stored = await service.call('GET', '/api/projects/@current/events/?limit=100&after=all');
  expect(stored.json().results).toHaveLength(40);
});
