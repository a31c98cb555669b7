import { expect, test } from 'vitest';
import { createPhone, startApp } from './testing/start-app.js';
import { tracedFetch } from './traced-fetch.js';

const HOSTS = [' API.example.com '];

function start(options: Parameters<typeof startApp>[0] = {}) {
  const { client } = startApp(options, createPhone());
  let seen = new Headers();
  const api = tracedFetch(client, HOSTS, async (_input, init) => {
    seen = new Headers(init?.headers);
    return new Response();
  });
  return {
    client,
    /** The headers that a request goes out with. */
    headersOf: async (...request: Parameters<typeof fetch>) => {
      await api(...request);
      return Object.fromEntries(seen);
    },
  };
}

test('TRC-1 TRC-2 requests to the named hosts have tracing headers, others do not', async () => {
  const { client, headersOf } = start();
  await client.ready();
  const url = 'https://api.example.com/orders';
  const tracingHeaders = () => ({
    'x-posthog-distinct-id': client.getDistinctId(),
    'x-posthog-session-id': client.getSessionId(),
  });
  const anonymous = tracingHeaders();
  expect(await headersOf(url)).toEqual(anonymous);
  client.identify('ada');
  client.resetSessionId();
  expect(tracingHeaders()['x-posthog-session-id']).not.toBe(anonymous['x-posthog-session-id']);
  for (const address of [url, 'HTTPS://me:secret@API.example.com:8443?x', new URL(url)]) {
    expect(await headersOf(address)).toEqual(tracingHeaders());
  }
  for (const address of [
    'https://api.example.com.evil.org/',
    'https://api.example.com@evil.org/',
    'https://evil.org\\@api.example.com/',
    'https://evil.org/?@api.example.com',
    'https://example.com/',
    'https://sub.api.example.com/',
    'file:///api.example.com',
    '/orders',
    '',
  ])
    expect(await headersOf(address), address).toEqual({});
});

test('TRC-2 other headers of the request stay, and existing tracing headers are replaced', async () => {
  const { client, headersOf } = start();
  await client.ready();
  const init = { headers: { accept: 'text/html', 'X-POSTHOG-DISTINCT-ID': 'somebody' } };
  const expected = { accept: 'text/html', 'x-posthog-distinct-id': client.getDistinctId() };
  expect(await headersOf('https://api.example.com/', init)).toMatchObject(expected);
  expect(await headersOf(new Request('https://api.example.com/', init))).toMatchObject(expected);
});

test('TRC-2 before storage has responded, and while opted out, requests are sent unchanged', async () => {
  const { client, headersOf } = start();
  expect(await headersOf('https://api.example.com/')).toEqual({});
  await client.ready();
  client.optOut();
  expect(await headersOf('https://api.example.com/', { headers: { accept: 'text/html' } })).toEqual({ accept: 'text/html' });
});
