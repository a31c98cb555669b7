import { processorMs } from '@tidemark/testkit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createQueue } from './queue.js';

test('items are returned in the order of their insertion, once each', () => {
  const step = fc.oneof(
    fc.nat(2_000).map((pushed) => ({ pushed })),
    fc.nat(2_000).map((taken) => ({ taken })),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const queue = createQueue<number>();
      let model: number[] = [];
      let next = 0;
      for (const one of steps) {
        if ('pushed' in one) {
          for (let left = one.pushed; left > 0; left--) {
            queue.push(next);
            model.push(next++);
          }
        } else {
          expect(queue.take(one.taken)).toEqual(model.slice(0, one.taken));
          model = model.slice(one.taken);
        }
        expect([queue.length(), queue.first(), [...queue.items()].length]).toEqual([model.length, model[0], model.length]);
      }
    }),
  );
});

test('taking an item has constant time', async () => {
  const queue = createQueue<{ number: number }>();
  for (let number = 0; number < 200_000; number++) queue.push({ number });
  const took = await processorMs(() => {
    while (queue.length() > 0) queue.take(1);
  });
  // shifting them off a list took 8 s
  expect(took).toBeLessThan(2_000);
});
