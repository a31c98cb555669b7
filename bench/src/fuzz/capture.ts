import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { type EventMaker, pick, type Random, uuidFrom } from '@tidemark/testkit';
import { damaged, type FuzzRequest } from './operations.js';
import { anyValue, broken, chance, oddText, whole } from './values.js';

const PATHS: readonly [string, ...string[]] = [
  '/e/',
  '/i/v0/e/',
  '/capture/',
  '/track/',
  '/batch/',
  '/s/',
  '/flags/',
  '/flags/',
  '/decide/',
  '/i/v1/analytics/events',
];

/** Zeros that grow a thousandfold when they are read. */
const BOMB = gzipSync(Buffer.alloc(30 * 1024 * 1024));

/** Makes requests as client libraries send them, whole and broken. */
export function captureRequests(projectKey: string, make: EventMaker): (random: Random) => FuzzRequest {
  return (random) => {
    const path = pick(random, PATHS);
    const key = chance(random, 0.97) ? projectKey : oddText(random);
    const body = path === '/flags/' || path === '/decide/' ? question(random, key) : events(random, key, path, make);
    const text = JSON.stringify(chance(random, 0.6) ? body : broken(random, body)) ?? '';
    const { bytes, headers, search } = encoded(random, text);
    if (path.startsWith('/i/v1')) {
      Object.assign(headers, {
        ...v1Headers(random, projectKey),
        'content-type': 'application/json',
      });
    }
    const query = chance(random, 0.1)
      ? `${search ? `${search}&` : '?'}v=${pick(random, ['1', '2', '3', 'x'])}&_=${whole(random, 2e12)}`
      : search;
    if (chance(random, 0.02)) {
      const data = encodeURIComponent(bytes.toString('base64').slice(0, 8_000));
      return { group: path, method: 'GET', path: `${path}?data=${data}`, headers: {}, body: null };
    }
    return { group: path, method: 'POST', path: path + query, headers, body: bytes };
  };
}

const v1Headers = (random: Random, projectKey: string): Record<string, string> => ({
  authorization: `Bearer ${chance(random, 0.95) ? projectKey : 'x'}`,
  'posthog-sdk-info': chance(random, 0.98) ? 'fuzz/1.0' : '?',
  'posthog-attempt': chance(random, 0.98) ? '1' : 'x',
  'posthog-request-id': uuidFrom(random),
  'posthog-request-timestamp': new Date().toISOString(),
  'user-agent': 'fuzz',
});

function events(random: Random, key: string, path: string, make: EventMaker): unknown {
  const one = () => {
    const event = { ...make() };
    return chance(random, 0.7)
      ? event
      : { ...event, properties: { ...anyObject(random), $set: anyValue(random), $groups: anyValue(random) } };
  };
  if (path === '/s/') return replay(random, key);
  const many = Array.from({ length: 1 + whole(random, chance(random, 0.05) ? 200 : 4) }, one);
  if (path.startsWith('/i/v1')) {
    const batch = many.map((event) => ({ ...event, uuid: uuidFrom(random), timestamp: new Date().toISOString() }));
    return { created_at: new Date().toISOString(), batch };
  }
  if (path === '/batch/' || chance(random, 0.3)) return { api_key: key, batch: many, sent_at: new Date().toISOString() };
  return chance(random, 0.3) ? many.map((event) => ({ ...event, token: key })) : { api_key: key, ...many[0] };
}

function replay(random: Random, token: string): unknown {
  const snapshot = () => ({
    type: whole(random, 7),
    timestamp: Date.now(),
    data: chance(random, 0.5) ? { href: 'https://example.com/' } : anyValue(random),
  });
  const properties = {
    distinct_id: 'somebody',
    token,
    $session_id: uuidFrom(random),
    $window_id: uuidFrom(random),
    $snapshot_data: Array.from({ length: 1 + whole(random, 20) }, snapshot),
  };
  return [{ event: '$snapshot', properties }];
}

const question = (random: Random, token: string): unknown => ({
  token,
  distinct_id: chance(random, 0.9) ? `person ${whole(random, 5_000)}` : anyValue(random),
  groups: chance(random, 0.3) ? anyObject(random) : {},
  person_properties: chance(random, 0.5) ? anyObject(random) : { email: 'a@example.com' },
  ...(chance(random, 0.2) ? { $anon_distinct_id: `anonymous ${whole(random, 5_000)}` } : {}),
  ...(chance(random, 0.2) ? { flag_keys_to_evaluate: anyValue(random) } : {}),
});

const anyObject = (random: Random): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: whole(random, 6) }, () => [oddText(random), anyValue(random)]));

function encoded(random: Random, text: string): { bytes: Buffer; headers: Record<string, string>; search: string } {
  const bytes = damaged(random, text);
  const headers: Record<string, string> = {
    'content-type': pick(random, ['application/json', 'text/plain', 'application/json', '']),
  };
  const form = 'application/x-www-form-urlencoded';
  switch (whole(random, 10)) {
    case 0:
      return { bytes: damaged(random, gzipSync(bytes).toString('latin1')), headers, search: '?compression=gzip-js' };
    case 1:
    case 2:
      return { bytes: gzipSync(bytes), headers: { ...headers, 'content-encoding': 'gzip' }, search: '' };
    case 3:
      return { bytes: deflateSync(bytes), headers: { ...headers, 'content-encoding': 'deflate' }, search: '' };
    case 4:
      return { bytes: brotliCompressSync(bytes), headers: { ...headers, 'content-encoding': 'br' }, search: '' };
    case 5:
      return {
        bytes: Buffer.from(`data=${encodeURIComponent(bytes.toString('base64'))}`),
        headers: { 'content-type': form },
        search: '',
      };
    case 6:
      return chance(random, 0.01)
        ? { bytes: BOMB, headers: { ...headers, 'content-encoding': 'gzip' }, search: '' }
        : { bytes, headers, search: '' };
    case 7:
      return chance(random, 0.2)
        ? { bytes, headers: { ...headers, 'content-encoding': oddText(random).replace(/[^\w]/g, '') || 'x' }, search: '' }
        : { bytes, headers, search: '' };
    default:
      return { bytes, headers, search: '' };
  }
}
