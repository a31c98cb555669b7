import { expect, expectTypeOf, test } from 'vitest';
import { readOptions, type Spellings } from './option-names.js';

interface Options {
  api_host?: string;
  flushAt?: number;
  before_send?: string;
}
const NAMES = { api_host: true, flushAt: true, before_send: true } as const;
const read = (given: object) => readOptions<Options>(given, NAMES, { host: 'api_host', send_hook: 'before_send' });

test.each([
  [{ api_host: 'a' }, {}],
  [{ apiHost: 'a' }, { api_host: 'a' }],
  [{ flush_at: 5 }, { flushAt: 5 }],
  [{ host: 'a' }, { api_host: 'a' }],
  [{ sendHook: 'x' }, { before_send: 'x' }],
  [{ apiHost: 'b', api_host: 'a' }, { api_host: 'a' }],
])('%o is read as %o', (given, more) => {
  const { options, similar } = read(given);
  expect(options).toEqual({ ...given, ...more });
  expect(similar.size).toBe(0);
});

test.each([
  ['flushat', 'flushAt'],
  ['beforesend', 'before_send'],
  ['befor_send', 'before_send'],
  ['bfeore_send', 'before_send'],
  ['api_hosts', 'api_host'],
  ['api_hust', 'api_host'],
])('the unknown name %s looks like %s', (name, known) => {
  const { options, similar } = read({ [name]: 1 });
  expect([...similar]).toEqual([[name, known]]);
  expect(options).toEqual({ [name]: 1 });
});

test.each(['before', 'toString', '__proto__', 'ui_host', 'constructor', 'send'])(
  'the unknown name %s looks like no option',
  (name) => {
    const { renamed, similar } = read(Object.defineProperty({}, name, { value: 1, enumerable: true }));
    expect([renamed.size, similar.size]).toEqual([0, 0]);
  },
);

test('both spellings have types', () => {
  expectTypeOf<Spellings<Options>>().toMatchTypeOf<{
    apiHost?: string;
    api_host?: string;
    flush_at?: number;
    beforeSend?: string;
  }>();
  // @ts-expect-error a number is no host
  const wrong: Spellings<Options> = { apiHost: 5 };
  expect(wrong).toBeDefined();
});
