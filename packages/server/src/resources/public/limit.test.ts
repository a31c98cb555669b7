import { expect, test } from 'vitest';
import { createLimit } from './access.js';

test('the addresses of one IPv6 /64 network share the limit of one visitor', () => {
  const limit = createLimit({ now: () => 1_000 });
  const looks = (network: string, times: number) =>
    Array.from({ length: times }, (_, n) => limit.wait(`${network}::${n.toString(16)}`, 'token'));
  expect(looks('2001:db8:0:7', 60)).toEqual(Array(60).fill(0));
  expect(looks('2001:db8:0:7', 2)).toEqual([60, 60]);
  expect(looks('2001:db8:0:8', 2)).toEqual([0, 0]);
});
