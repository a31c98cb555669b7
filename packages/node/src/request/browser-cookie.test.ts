// @vitest-environment happy-dom
import { expect, test } from 'vitest';
import { storeFor } from '../../../browser/src/storage/index.js';
import { identityOf } from './identity-cookie.js';

const KEY = 'tmk_0123456789abcdef';

test.each([
  ['localStorage+cookie', 'default'],
  ['cookie', 'default'],
  ['localStorage+cookie', 'shop'],
  ['cookie', 'two words; é'],
] as const)('the cookie that the browser client writes with %s for its instance "%s" is read', (persistence, instance) => {
  const store = storeFor({ persistence });
  const others = ['default', 'shop', 'more'].filter((name) => name !== instance);
  for (const name of others) store.set(`tm.${KEY}.${name}.identity`, JSON.stringify({ a: `anon of ${name}` }));
  const identity = { a: 'anon-1', d: 'user "1", {x}:~*!()é', i: 1 };
  store.set(`tm.${KEY}.${instance}.identity`, JSON.stringify(identity));
  expect(identityOf({ cookie: document.cookie }, KEY, instance)).toEqual(identity);
  for (const name of [...others, instance]) store.remove(`tm.${KEY}.${name}.identity`);
  expect(identityOf({ cookie: document.cookie }, KEY, instance)).toBeUndefined();
});
