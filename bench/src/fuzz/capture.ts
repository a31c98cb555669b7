import { type EventMaker, pick, type Random, uuidFrom } from '@tidemark/testkit';
import { encoded } from './encodings.js';
import type { FuzzRequest } from './operations.js';
import { anyValue, broken, chance, oddText, whole } from './values.js';

const PATHS: readonly [string, ...string[]] = [
  '/e/',
  '/i/v0/e/',
  '/capture/',
  '/track/',
  '/engage/',
  '/batch/',
  '/s/',
  '/flags/',
  '/flags/',
  '/decide/',
  '/i/v1/analytics/events',
  '/i/v1/general/events',
  '/v1/track',
  '/v1/identify',
  '/v1/group',
  '/v1/page',
  '/v1/alias',
  '/v1/batch',
];

/** Generates requests of client libraries, valid and malformed. */
export function captureRequests(projectKey: string, make: EventMaker): (random: Random) => FuzzRequest {
  return (random) => {
    const path = pick(random, PATHS);
    const common = { group: path, operation: `capture ${path}`, collections: [], isForeign: false };
    const key = chance(random, 0.97) ? projectKey : oddText(random);
    const body = path === '/flags/' || path === '/decide/' ? question(random, key) : events(random, key, path, make);
    const text = JSON.stringify(chance(random, 0.6) ? body : broken(random, body)) ?? '';
    const { bytes, headers, search } = encoded(random, text);
    if (path.startsWith('/v1/') && chance(random, 0.5)) {
      headers['authorization'] = `Basic ${Buffer.from(`${key}:`).toString('base64')}`;
    }
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
      return { ...common, method: 'GET', path: `${path}?data=${data}`, headers: {}, body: null };
    }
    return { ...common, method: 'POST', path: path + query, headers, body: bytes };
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
  if (path.startsWith('/v1/')) return segment(random, key, path);
  const many = Array.from({ length: 1 + whole(random, chance(random, 0.05) ? 200 : 4) }, one);
  if (path.startsWith('/i/v1')) {
    const batch = many.map((event) => ({ ...event, uuid: uuidFrom(random), timestamp: new Date().toISOString() }));
    return { created_at: new Date().toISOString(), batch };
  }
  if (path === '/batch/' || chance(random, 0.3)) return { api_key: key, batch: many, sent_at: new Date().toISOString() };
  return chance(random, 0.3) ? many.map((event) => ({ ...event, token: key })) : { api_key: key, ...many[0] };
}

function segment(random: Random, writeKey: string, path: string): unknown {
  const call = () => ({
    type: pick(random, ['track', 'identify', 'page', 'screen', 'group', 'alias']),
    userId: chance(random, 0.9) ? `person ${whole(random, 5_000)}` : anyValue(random),
    anonymousId: uuidFrom(random),
    messageId: uuidFrom(random),
    event: 'signed up',
    groupId: 'acme',
    previousId: 'before',
    timestamp: chance(random, 0.9) ? new Date().toISOString() : anyValue(random),
    properties: anyObject(random),
    traits: anyObject(random),
    context: chance(random, 0.5) ? anyObject(random) : { ip: '127.0.0.1', page: { url: 'https://example.com/' } },
  });
  if (path !== '/v1/batch') return { ...call(), writeKey };
  return { writeKey, batch: Array.from({ length: 1 + whole(random, 5) }, call), sentAt: new Date().toISOString() };
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
