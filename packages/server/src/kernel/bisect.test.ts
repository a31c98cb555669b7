import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bisectRejected } from './bisect.js';

class Refused extends Error {}
const isRefusal = (error: unknown) => error instanceof Refused;

test('bad items are found, and good ones are processed in order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 60 }), async (bad) => {
      const items = bad.map((isBad, i) => ({ isBad, i }));
      const through: number[] = [];
      const { refused, results } = await bisectRejected(
        items,
        async (part) => {
          if (part.some((item) => item.isBad)) throw new Refused();
          for (const item of part) through.push(item.i);
        },
        isRefusal,
      );
      expect(through).toEqual(items.filter((item) => !item.isBad).map((item) => item.i));
      expect(refused).toEqual(items.filter((item) => item.isBad));
      expect(results.flatMap(({ part }) => part.map((item) => item.i))).toEqual(through);
    }),
  );
});

test('any other error stops it', async () => {
  const run = async () => {
    throw new Error('away');
  };
  await expect(bisectRejected([1, 2], run, isRefusal)).rejects.toThrow('away');
});
