import { expect, test, vi } from 'vitest';
import { loggedText } from './logged-text.js';

const circular: Record<string, unknown> = { name: 'loop' };
circular['self'] = circular;

test.each<[unknown, string]>([
  ['Saved "it"', '"Saved \\"it\\""'],
  [undefined, 'undefined'],
  [null, 'null'],
  [1.5, '1.5'],
  [12n, '12'],
  [10n ** 30n, '"[bigint]"'],
  [Symbol('x'), 'Symbol(x)'],
  [() => 1, '"[function]"'],
  [new Date(0), '"1970-01-01T00:00:00.000Z"'],
  [new Date(Number.NaN), 'null'],
  [{ a: [1, 'b', { c: null }], d: undefined }, '{"a":[1,"b",{"c":null}],"d":undefined}'],
  [circular, '{"name":"loop","self":"[circular]"}'],
])('%o is logged as %s', (value, text) => {
  expect(loggedText(value)).toBe(text);
});

test('bytes are not listed', () => {
  expect(loggedText({ bytes: new Uint8Array(10_000_000) })).toBe('{"bytes":{}}');
});

test('an error is logged with its stack', () => {
  const error = new RangeError('too far');
  expect(loggedText(error)).toBe(error.stack?.slice(0, 1000));
  expect(loggedText({ error })).toMatch(/^\{"error":"RangeError: too far\\n/);
});

test('no code of the page runs: no getter, no toJSON, no toString', () => {
  const ran = vi.fn(() => 'secret');
  const error = new Error('public');
  Object.defineProperty(error, 'stack', { get: ran });
  const date = Object.assign(new Date(0), { toJSON: ran, toISOString: ran, getTime: ran });
  const row = { toJSON: ran, toString: ran, [Symbol.toPrimitive]: ran };
  Object.defineProperty(row, 'balance', { get: ran, enumerable: true });
  const list = [1, 2];
  Object.defineProperty(list, 0, { get: ran });
  for (const value of [
    row,
    [row],
    error,
    { error },
    date,
    list,
    Object.defineProperties(() => 1, Object.getOwnPropertyDescriptors(row)),
  ]) {
    expect(loggedText(value)).not.toContain('secret');
  }
  expect(ran).not.toHaveBeenCalled();
  expect(loggedText(row)).toContain('"balance":"[getter]"');
});

test('the time does not grow with the size of the value', () => {
  let looks = 0;
  const watched = (target: object): object =>
    new Proxy(target, {
      getOwnPropertyDescriptor(of, name) {
        looks++;
        return Reflect.getOwnPropertyDescriptor(of, name);
      },
    });
  const rows = Array.from({ length: 200_000 }, (_, id) => watched({ id, tags: watched([]) }));
  const deep = rows.slice(0, 20_000).reduce((inner, row) => Object.assign(row, { inner }));
  for (const value of [watched(rows), deep, watched(Array.from({ length: 200_000 }))]) {
    looks = 0;
    expect(loggedText(value).length).toBeLessThanOrEqual(1000);
    expect(looks).toBeLessThan(2000);
  }
});

test('an object that throws on access is logged as such', () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  expect(loggedText({ proxy })).toBe('{"proxy":[unreadable]');
});
