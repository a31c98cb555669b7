import { expect, test } from 'vitest';
import { joinedBytes } from './joined-bytes.js';

const counted = () => {
  const scheduler = { turns: 0, yield: async () => void scheduler.turns++ };
  return scheduler;
};

test('many chunks are joined in several turns', async () => {
  const scheduler = counted();
  const chunks = Array.from({ length: 20 }, (_, n) => Buffer.alloc(1024 * 1024, n));
  expect((await joinedBytes(chunks, scheduler)).equals(Buffer.concat(chunks))).toBe(true);
  expect(scheduler.turns).toBe(5);
});

test('few bytes are joined at once', async () => {
  const scheduler = counted();
  const join = async (...texts: string[]) =>
    (
      await joinedBytes(
        texts.map((text) => Buffer.from(text)),
        scheduler,
      )
    ).toString();
  expect([await join(), await join('a'), await join('a', 'bc')]).toEqual(['', 'a', 'abc']);
  expect(scheduler.turns).toBe(0);
});
