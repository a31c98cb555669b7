import { describe, expect, test } from 'vitest';
import { changesBetween } from './entry.js';

describe('changesBetween', () => {
  test('returns the changed fields in the order of the list of fields', () => {
    const before = { name: 'Launch', tags: ['a'], filters: { b: 1, a: 2 }, pinned: true, description: '' };
    const after = { name: null, tags: ['a', 'b'], filters: { a: 2, b: 1 }, pinned: true, description: 'x' };
    expect(changesBetween('Dashboard', before, after, ['tags', 'name', 'filters', 'pinned'])).toEqual([
      { type: 'Dashboard', action: 'changed', field: 'tags', before: ['a'], after: ['a', 'b'] },
      { type: 'Dashboard', action: 'deleted', field: 'name', before: 'Launch', after: null },
    ]);
  });

  test('null and undefined are equal, and a field without a value before is created', () => {
    const before: { name?: string | null; color: string | null } = { color: null };
    expect(changesBetween('Dashboard', before, { name: null, color: 'red' }, ['name', 'color'])).toEqual([
      { type: 'Dashboard', action: 'created', field: 'color', before: null, after: 'red' },
    ]);
  });

  test.each(['access_token', 'api_token', 'password', 'passwordHash', 'client_secret', 'secure_hash'])(
    'a change of %s has no values',
    (field) => {
      expect(changesBetween('SharingConfiguration', { [field]: 'tm-old' }, { [field]: 'tm-new' }, [field])).toEqual([
        { type: 'SharingConfiguration', action: 'changed', field, before: null, after: null },
      ]);
    },
  );

  test('a switch that is only on or off keeps its values', () => {
    const [change] = changesBetween('SharingConfiguration', { password_required: false }, { password_required: true }, [
      'password_required',
    ]);
    expect(change).toMatchObject({ before: false, after: true });
  });

  test('a value that is too long is replaced by its size', () => {
    const [change] = changesBetween('Insight', { query: null }, { query: 'x'.repeat(60_000) }, ['query']);
    expect(change).toMatchObject({ action: 'created', before: null, after: '(60002 characters)' });
  });
});
