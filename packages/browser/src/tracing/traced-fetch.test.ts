import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { tracedFetch } from './traced-fetch.js';

beforeAll(() => void vi.stubGlobal('location', { href: 'https://shop.example.com/' }));
afterAll(() => void vi.unstubAllGlobals());

let out = false;
const person = { getDistinctId: () => 'ada', getSessionId: () => 'session-1', isOptedOut: () => out };

/** The headers that a request to `url` goes out with. */
async function headersOf(url: string | URL | Request, hosts: string[], init?: RequestInit): Promise<Record<string, string>> {
  let headers = new Headers();
  const traced = tracedFetch(person, hosts, async (_input, sent) => {
    headers = new Headers(sent?.headers);
    return new Response();
  });
  await traced(url, init);
  return Object.fromEntries(headers);
}

test('TRC-1 TRC-2: requests to the named hosts have tracing headers, others do not', async () => {
  const ids = { 'x-posthog-distinct-id': 'ada', 'x-posthog-session-id': 'session-1' };
  expect(await headersOf('https://api.example.com/orders', [' API.example.com '])).toEqual(ids);
  expect(await headersOf(new URL('https://api.example.com:8443/x'), ['api.example.com'])).toEqual(ids);
  for (const url of [
    'https://api.example.com.evil.org/',
    'https://api.example.com@evil.org/',
    'https://example.com/',
    'https://sub.api.example.com/',
    'https://elsewhere.example/api.example.com',
  ])
    expect(await headersOf(url, ['api.example.com'])).toEqual({});
});

test('requests while opted out have no tracing headers', async () => {
  out = true;
  expect(await headersOf('https://api.example.com/', ['api.example.com'])).toEqual({});
  out = false;
});

test('other headers of the request stay, and existing tracing headers are replaced', async () => {
  const init = { headers: { accept: 'text/html', 'X-POSTHOG-DISTINCT-ID': 'somebody' } };
  const whole = new Request('https://api.example.com/', init);
  for (const headers of [
    await headersOf('https://api.example.com/', ['api.example.com'], init),
    await headersOf(whole, ['api.example.com']),
  ])
    expect(headers).toMatchObject({ accept: 'text/html', 'x-posthog-distinct-id': 'ada' });
});

test('a request that cannot get headers is sent unchanged', async () => {
  expect(await headersOf('http://[', ['api.example.com'], { headers: { accept: 'text/html' } })).toEqual({ accept: 'text/html' });
});
