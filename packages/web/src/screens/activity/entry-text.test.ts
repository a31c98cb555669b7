import { expect, test } from 'vitest';
import type { LogEntry } from '../../data/activity.js';
import { actionText, importText, summaryText, valueDifferences, whoText } from './entry-text.js';

test('what happened reads as a sentence', () => {
  expect(actionText({ activity: 'updated', scope: 'FeatureFlag' })).toBe('changed the flag');
  expect(actionText({ activity: 'token_refreshed', scope: 'SharingConfiguration' })).toBe(
    'renewed the token of the public link of',
  );
  expect(actionText({ activity: 'password_reset', scope: 'RoleMember' })).toBe('password reset the role member');
});

test('a change is summed up by its fields, an access rule by what it says', () => {
  const change = (field: string) => ({ type: 'x', action: 'changed' as const, field, before: 1, after: 2 });
  expect(summaryText({ scope: 'FeatureFlag', detail: { changes: ['filters', 'name', 'name'].map(change) } })).toBe(
    'filters, name',
  );
  const rule = { resource: 'session_recording', access_level: 'none' };
  const changes = [{ type: 'AccessControl', action: 'created' as const, field: 'rule', before: null, after: rule }];
  expect(summaryText({ scope: 'AccessControl', detail: { changes } })).toBe('Recordings: No access');
});

test('values differ part by part', () => {
  expect(valueDifferences('name', 'Launch', 'Growth')).toEqual([{ what: 'name', before: 'Launch', after: 'Growth' }]);
  expect(valueDifferences('tags', ['a'], ['a', 'b'])).toEqual([{ what: 'tags', before: 'a', after: 'a, b' }]);
  const flag = (rollout: number) => ({ groups: [{ properties: [], rollout_percentage: rollout }], multivariate: null });
  expect(valueDifferences('filters', flag(0), flag(50))).toEqual([
    { what: 'filters.groups 1.rollout_percentage', before: '0', after: '50' },
  ]);
  expect(valueDifferences('hidden', null, true)).toEqual([{ what: 'hidden', before: '', after: 'true' }]);
  expect(valueDifferences('filters', flag(1), flag(1))).toEqual([]);
});

test('an imported entry says who did it elsewhere, and who imported it', () => {
  const user = { first_name: 'Ada', email: 'ada@example.com' } as NonNullable<LogEntry['user']>;
  expect(whoText({ user })).toBe('Ada');
  expect(whoText({ user: null })).toBe('The service');
  const imported = { author: 'ben@elsewhere.example', by: user, at: '2026-11-27T10:00:00.000Z' };
  expect(whoText({ user: null, imported })).toBe('ben@elsewhere.example');
  expect(whoText({ user: null, imported: { ...imported, author: null } })).toBe('Somebody');
  expect(importText(imported)).toBe('In another service; imported by Ada on 2026-11-27');
  expect(importText({ ...imported, by: null })).toBe('In another service; imported on 2026-11-27');
});
