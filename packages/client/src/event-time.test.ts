import fc from 'fast-check';
import { test } from 'vitest';
import { isoTime } from './event-time.js';

test('times are written as toISOString writes them, whatever time came before', () => {
  const moments = fc.oneof(fc.integer({ min: 1_735_689_598_000, max: 1_735_689_602_000 }), fc.integer({ min: 0, max: 4e12 }));
  fc.assert(fc.property(moments, (now) => isoTime(now) === new Date(now).toISOString()));
});
