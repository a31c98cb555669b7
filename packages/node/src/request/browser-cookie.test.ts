// @vitest-environment happy-dom
import { expect, test } from 'vitest';
import { storeFor } from '../../../browser/src/storage/index.js';
import { identityOf } from './identity-cookie.js';

const KEY = 'tmk_0123456789abcdef';

test.each(['localStorage+cookie', 'cookie'] as const)(
  'the cookie that the browser client writes with %s is read here',
  (persistence) => {
    const store = storeFor({ persistence });
    store.set(`tm.${KEY}.default.identity`, JSON.stringify({ a: 'anon-1', d: 'user "1", {x}:~*!()é', i: 1 }));
    expect(document.cookie).not.toBe('');
    expect(identityOf({ cookie: document.cookie }, KEY)).toEqual({ a: 'anon-1', d: 'user "1", {x}:~*!()é', i: 1 });
    store.remove(`tm.${KEY}.default.identity`);
  },
);
