import { expect, test } from 'vitest';
import { lengthInWords, lengthOf } from './lengths.js';

test.each([
  [0, '0:00', '0 seconds'],
  [7_400, '0:07', '7 seconds'],
  [59_600, '1:00', '1 minute'],
  [725_000, '12:05', '12 minutes 5 seconds'],
  [3_725_000, '1:02:05', '1 hour 2 minutes 5 seconds'],
  [36_000_000, '10:00:00', '10 hours'],
])('%d milliseconds are %s', (milliseconds, short, words) => {
  expect([lengthOf(milliseconds), lengthInWords(milliseconds)]).toEqual([short, words]);
});
