import fc from 'fast-check';
import { expect, test } from 'vitest';
import { clientNetwork, createRateCounter } from './rate-counter.js';

const limit = fc.record({ perMinute: fc.integer({ min: 1, max: 8 }), perHour: fc.integer({ min: 1, max: 20 }) });
const createCounter = ({ perMinute, perHour }: { perMinute: number; perHour: number }) =>
  createRateCounter([
    { limit: perMinute, ms: 60_000 },
    { limit: perHour, ms: 3_600_000 },
  ]);
const pauses = fc.array(fc.integer({ min: 0, max: 1_500_000 }), { maxLength: 60 });

test('the wait is long enough, to the millisecond', () => {
  fc.assert(
    fc.property(limit, pauses, (limits, steps) => {
      const count = createCounter(limits);
      let now = 1_000_000;
      for (const step of steps) {
        now += step;
        const wait = count('key', now);
        if (wait === 0) continue;
        expect(count('key', now + wait - 1)).toBe(1);
        expect(count('key', now + wait)).toBe(0);
        now += wait;
      }
    }),
  );
});

test('no window of a minute or hour admits more than twice the limit, and an idle key gets the limit at once', () => {
  fc.assert(
    fc.property(limit, pauses, (limits, steps) => {
      const count = createCounter(limits);
      const admitted: number[] = [];
      let now = 0;
      for (const step of steps) {
        now += step;
        if (count('key', now) === 0) admitted.push(now);
      }
      for (const start of admitted) {
        const within = (length: number) => admitted.filter((time) => time >= start && time < start + length).length;
        expect(within(60_000)).toBeLessThanOrEqual(2 * limits.perMinute);
        expect(within(3_600_000)).toBeLessThanOrEqual(2 * limits.perHour);
      }
      const burst = Array.from({ length: 30 }, () => count('key', now + 3_600_000)).filter((wait) => wait === 0);
      expect(burst).toHaveLength(Math.min(limits.perMinute, limits.perHour));
    }),
  );
});

test('a clock that was set back locks no caller out', () => {
  const count = createCounter({ perMinute: 1, perHour: 1 });
  expect(count('key', 10_000_000)).toBe(0);
  expect(count('key', 0)).toBe(0);
  expect(count('key', 0)).toBe(3_600_000);
});

test('keys of the past hour are remembered, for any number of other keys', () => {
  const count = createCounter({ perMinute: 1, perHour: 1 });
  for (let n = 0; n < 90_000; n += 1) count(`key ${n}`, n);
  expect(count('key 0', 90_000)).toBeGreaterThan(0);
  expect(count('key 89999', 90_000)).toBeGreaterThan(0);
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:192.0.2.1', '192.0.2.1'],
  ['2001:db8:0:7::1', '2001:db8:0:7::/64'],
  ['2001:0DB8:0000:0007:ffff:ffff:ffff:ffff', '2001:db8:0:7::/64'],
  ['2001:db8:0:8::1', '2001:db8:0:8::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['1:2:3:4:5:6:7::', '1:2:3:4::/64'],
  ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
  ['unknown', 'unknown'],
])('%s is of the network %s', (ip, network) => {
  expect(clientNetwork(ip)).toBe(network);
});
