import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UuidSet } from './uuid-set.js';

test('holds exactly the pairs that were added, however many', () => {
  const pairs = fc.array(fc.tuple(fc.integer({ min: 1, max: 3 }), fc.uuid()), { maxLength: 3000 });
  fc.assert(
    fc.property(pairs, pairs, (added, asked) => {
      const set = new UuidSet();
      for (const [project, uuid] of added) set.add(project, uuid);
      const names = new Set(added.map(([project, uuid]) => `${project}:${uuid}`));
      expect(set.size).toBe(names.size);
      for (const [project, uuid] of added) expect(set.has(project, uuid)).toBe(true);
      for (const [project, uuid] of asked) expect(set.has(project, uuid)).toBe(names.has(`${project}:${uuid}`));
    }),
    { numRuns: 30 },
  );
});

test('tells projects apart and does not care about case', () => {
  const set = new UuidSet();
  set.add(1, '0190f3a0-0000-7abc-8def-0123456789AB');
  expect(set.has(1, '0190F3A0-0000-7ABC-8DEF-0123456789ab')).toBe(true);
  expect(set.has(2, '0190f3a0-0000-7abc-8def-0123456789ab')).toBe(false);
});
