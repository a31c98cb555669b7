// @vitest-environment happy-dom
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Persistence } from '../options.js';
import { cookies } from './cookies.js';
import { storeFor } from './store-for.js';

const KEY = `tm.tmk_${'x'.repeat(35)}89abcdef.default.identity`;
const ID = '0190c0de-0000-7000-8000-000000000001';
const IDENTITY = JSON.stringify({ a: ID, v: ID, d: ID, i: 1, p: 1 });

const forget = () => {
  localStorage.clear();
  sessionStorage.clear();
  for (const cookie of document.cookie.split('; ')) {
    // biome-ignore lint/suspicious/noDocumentCookie: there is no other way
    document.cookie = `${cookie.split('=')[0]}=; path=/; max-age=-1`;
  }
};
beforeEach(forget);
afterEach(() => vi.unstubAllGlobals());

describe.each<Persistence>(['localStorage+cookie', 'localStorage', 'cookie', 'sessionStorage', 'memory'])('%s', (persistence) => {
  test('texts are stored, replaced and removed, and the next page has them unless the storage is memory', () => {
    const store = storeFor({ persistence });
    expect(store.get(KEY)).toBeNull();
    store.set(KEY, IDENTITY);
    store.set('tm.k.default.props', '{"plan":"pro"}');
    expect(store.get(KEY)).toBe(IDENTITY);
    const next = storeFor({ persistence });
    const persists = persistence !== 'memory';
    expect(next.get(KEY)).toBe(persists ? IDENTITY : null);
    expect(next.get('tm.k.default.props')).toBe(persists ? '{"plan":"pro"}' : null);
    next.set(KEY, 'other');
    next.remove('tm.k.default.props');
    expect(next.get(KEY)).toBe('other');
    expect(storeFor({ persistence }).get('tm.k.default.props')).toBeNull();
  });
});

test('a cookie of at most 200 bytes has the identity for servers, and nothing else', () => {
  const store = storeFor({});
  store.set(KEY, IDENTITY);
  store.set('tm.k.default.props', '{"plan":"pro"}');
  expect(document.cookie).toMatch(/^tm_89abcdef\.identity=/);
  expect(document.cookie.length).toBeLessThanOrEqual(200);
  expect(localStorage.getItem(KEY)).toBe(IDENTITY);
});

test('an identity too long for the cookie is stored, and an older cookie does not override it', () => {
  storeFor({}).set(KEY, IDENTITY);
  const long = JSON.stringify({ a: ID, d: 'x'.repeat(300) });
  storeFor({}).set(KEY, long);
  expect(storeFor({}).get(KEY)).toBe(long);
  expect(document.cookie).toBe('');
});

test('the cookie wins if another subdomain has changed it', () => {
  storeFor({}).set(KEY, IDENTITY);
  localStorage.setItem(KEY, '{"a":"older"}');
  expect(storeFor({}).get(KEY)).toBe(IDENTITY);
});

test('values of another persistence mode are adopted', () => {
  storeFor({ persistence: 'localStorage' }).set(KEY, IDENTITY);
  expect(storeFor({ persistence: 'cookie' }).get(KEY)).toBe(IDENTITY);
  expect(localStorage.getItem(KEY)).toBeNull();
});

test('values too long for a cookie last until the page ends', () => {
  const store = storeFor({ persistence: 'cookie' });
  store.set('tm.k.default.queue', 'x'.repeat(5_000));
  expect(store.get('tm.k.default.queue')).toHaveLength(5_000);
  expect(document.cookie).toBe('');
});

test('unsent events of a page are in no cookie, where each page that is left would leave one behind', () => {
  const store = storeFor({ persistence: 'cookie' });
  for (const kind of ['queue', 'chunks']) store.set(`tm.k.default.${kind}.${ID}`, '[1]');
  expect(store.get(`tm.k.default.queue.${ID}`)).toBe('[1]');
  expect(document.cookie).toBe('');
});

test.each([
  ['localStorage+cookie', 'cookie'],
  ['localStorage', 'cookie'],
  ['sessionStorage', 'memory'],
] as const)('%s blocked: %s is used', (persistence, next) => {
  const blocked = {
    get: () => {
      throw new DOMException('blocked', 'SecurityError');
    },
  };
  vi.stubGlobal('localStorage', undefined);
  vi.stubGlobal('sessionStorage', undefined);
  Object.defineProperty(window, 'localStorage', { ...blocked, configurable: true });
  Object.defineProperty(window, 'sessionStorage', { ...blocked, configurable: true });
  const store = storeFor({ persistence });
  store.set(KEY, '{"a":"1"}');
  expect(store.get(KEY)).toBe('{"a":"1"}');
  expect(document.cookie !== '').toBe(next === 'cookie');
});

test('any text is read from a cookie unchanged', () => {
  const store = cookies({ crossSubdomain: false, secure: false, days: 1, limit: 4_000 });
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 50 }), fc.json({ maxDepth: 2 }), (text, json) => {
      for (const value of [text, json.slice(0, 500)]) {
        // half a surrogate pair has no UTF-8
        if (/\p{Surrogate}/u.test(value)) continue;
        store.set('a', value);
        expect(store.get('a')).toBe(value);
      }
    }),
  );
});
