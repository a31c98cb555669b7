import { expect, test } from 'vitest';
import { createProcessorTime } from './processor-time.js';

test('processor time is divided among the statements that run at the same time', () => {
  let used = 100;
  const time = createProcessorTime(() => used);
  used = 200;
  const first = time.begin();
  used = 210;
  const second = time.begin();
  used = 230;
  expect(second()).toBe(10);
  used = 235;
  expect(first()).toBe(25);
  // the end of a statement that has ended changes nothing
  used = 300;
  expect(first()).toBe(25);
  const third = time.begin();
  expect(third()).toBe(0);
});
