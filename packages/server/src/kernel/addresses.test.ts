import { expect, test } from 'vitest';
import { hostOf, splitAddress } from './addresses.js';

test.each<[string, string[]]>([
  ['http://a/db', ['http://a/db']],
  ['http://u:p@a:1,b:2/db?x=1', ['http://u:p@a:1/db?x=1', 'http://u:p@b:2/db?x=1']],
  ['https://[::1]:8443,[fe80::1]/db', ['https://[::1]:8443/db', 'https://[fe80::1]/db']],
  ['postgres://u@a:5432,b:5433,c/db', ['postgres://u@a:5432/db', 'postgres://u@b:5433/db', 'postgres://u@c/db']],
  // a comma in the user or the password is none between hosts
  ['postgres://u,v:p,q@a,b/db', ['postgres://u,v:p,q@a/db', 'postgres://u,v:p,q@b/db']],
  ['postgres:///db?host=a,b&port=1,2', ['postgres:///db?host=a&port=1', 'postgres:///db?host=b&port=2']],
  ['postgres:///db?host=a,b&port=1', ['postgres:///db?host=a&port=1', 'postgres:///db?host=b&port=1']],
  ['postgres://u:p@localhost/db?host=/run/x', ['postgres://u:p@localhost/db?host=%2Frun%2Fx']],
  ['http://a,,b/db', []],
  ['http://a:99999,b/db', []],
  ['postgres:///db?host=a,b&port=1,2,3', []],
  ['no address', []],
])('%s is the addresses %j', (address, servers) => {
  expect(splitAddress(address)).toEqual(servers);
});

test.each([
  ['postgres://u:secret@a:5433/db', 'a:5433'],
  ['postgres://u:secret@a/db', 'a'],
  ['postgres://u:secret@x/db?host=b&port=7', 'b:7'],
])('the host of %s is %s', (address, host) => {
  expect(hostOf(address)).toBe(host);
});
