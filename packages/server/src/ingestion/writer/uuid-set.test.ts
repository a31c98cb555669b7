import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UuidSet, type UuidState } from './uuid-set.js';

test('it returns the last value of each pair, for any number of pairs', () => {
  // few enough pairs that some come again
  const uuids = fc.sample(fc.uuid(), 1500);
  const steps = fc.array(
    fc.record({
      project: fc.integer({ min: 1, max: 2 }),
      uuid: fc.constantFrom(...uuids),
      action: fc.constantFrom('reserve', 'reserve', 'add', 'store', 'drop'),
    }),
    { maxLength: 4000, size: 'max' },
  );
  fc.assert(
    fc.property(steps, (all) => {
      const set = new UuidSet();
      const model = new Map<string, UuidState>();
      for (const { project, uuid, action } of all) {
        const key = `${project}:${uuid}`;
        const before = model.get(key) ?? 'absent';
        expect(set.state(project, uuid)).toBe(before);
        if (action === 'reserve') expect(set.reserve(project, uuid)).toBe(before);
        else if (action === 'add') set.add(project, uuid);
        else expect(set.settle(project, uuid, action === 'store')).toBe(before !== 'absent');
        const isNew = before === 'absent' && (action === 'reserve' || action === 'add');
        if (isNew) model.set(key, action === 'reserve' ? 'reserved' : 'stored');
        if (before === 'reserved' && action === 'store') model.set(key, 'stored');
        if (before === 'reserved' && action === 'drop') model.delete(key);
      }
      expect(set.size).toBe(model.size);
      for (const uuid of uuids) expect(set.state(1, uuid)).toBe(model.get(`1:${uuid}`) ?? 'absent');
    }),
    { numRuns: 20 },
  );
});

test('projects are separate, and case is ignored', () => {
  const set = new UuidSet();
  set.add(1, '0190f3a0-0000-7abc-8def-0123456789AB');
  expect(set.state(1, '0190F3A0-0000-7ABC-8DEF-0123456789ab')).toBe('stored');
  expect(set.state(2, '0190f3a0-0000-7abc-8def-0123456789ab')).toBe('absent');
});
