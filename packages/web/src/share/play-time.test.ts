import { expect, test } from 'vitest';
import { secondsOf, timeOf } from './play-time.js';

test('times of recordings are read as people write them', () => {
  expect(['0:00', '1:30', '90', '1:02:03', ' 2:05 '].map(secondsOf)).toEqual([0, 90, 90, 3723, 125]);
  expect(['', 'x', '1:', '-1', '1:2:3:4'].map(secondsOf)).toEqual([null, null, null, null, null]);
  expect([0, 5, 90, 3723].map(timeOf)).toEqual(['0:00', '0:05', '1:30', '62:03']);
});
