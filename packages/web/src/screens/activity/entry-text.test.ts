import { expect, test } from 'vitest';
import { deedText, valueDifferences } from './entry-text.js';

test('what happened reads as a sentence', () => {
  expect(deedText({ activity: 'updated', scope: 'FeatureFlag' })).toBe('changed the flag');
  expect(deedText({ activity: 'token_refreshed', scope: 'SharingConfiguration' })).toBe(
    'renewed the token of the public link of',
  );
  expect(deedText({ activity: 'password_reset', scope: 'RoleMember' })).toBe('password reset the role member');
});

test('values differ part by part', () => {
  expect(valueDifferences('name', 'Launch', 'Growth')).toEqual([{ path: 'name', before: 'Launch', after: 'Growth' }]);
  expect(valueDifferences('tags', ['a'], ['a', 'b'])).toEqual([{ path: 'tags', before: 'a', after: 'a, b' }]);
  const flag = (rollout: number) => ({ groups: [{ properties: [], rollout_percentage: rollout }], multivariate: null });
  expect(valueDifferences('filters', flag(0), flag(50))).toEqual([
    { path: 'filters.groups 1.rollout_percentage', before: '0', after: '50' },
  ]);
  expect(valueDifferences('hidden', null, true)).toEqual([{ path: 'hidden', before: '', after: 'true' }]);
  expect(valueDifferences('filters', flag(1), flag(1))).toEqual([]);
});
