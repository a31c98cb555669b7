import { expect, test } from 'vitest';
import type { AccessRule, Role } from '../data/members.js';
import { explainObjectLevel, explainProjectLevel } from './access-levels.js';

const at = '2026-01-01T00:00:00Z';
const rule = (access_level: string, about: Partial<AccessRule> = {}): AccessRule => ({
  access_level,
  resource: 'project',
  resource_id: '7',
  organization_member: null,
  role: null,
  created_by: null,
  created_at: at,
  updated_at: at,
  ...about,
});
const user = {
  id: 1,
  uuid: 'u',
  distinct_id: 'd',
  first_name: 'Ann',
  last_name: '',
  email: 'a@b.c',
  is_email_verified: false,
  hedgehog_config: {},
};
const role = (id: string, name: string, ...members: string[]): Role => ({
  id,
  name,
  created_at: at,
  created_by: null,
  members: members.map((one) => ({ id: `${id}-${one}`, role_id: id, organization_member: one, user, joined_at: at })),
});
const roles = [role('support', 'Support', 'ann'), role('ops', 'Operations', 'ann'), role('design', 'Design', 'bob')];
const ann = { id: 'ann', level: 1 as const, is_active: true };
const base = { member: ann, isClosed: false, explicit: null, rules: [], roles };

// the same cases as those of the service: packages/server/src/access/project-rules.test.ts
test.each([
  ['nothing', {}, 1, 'Everybody in the organization'],
  ['a membership that is switched off', { member: { ...ann, is_active: false } }, 0, 'Switched off in the organization'],
  [
    'an owner of the organization and a rule that closes',
    { member: { ...ann, level: 15 as const }, rules: [rule('none')] },
    15,
    'Owner of the organization',
  ],
  ['none for everybody', { rules: [rule('none')] }, 0, 'Rule for everybody'],
  ['none for the member', { rules: [rule('none', { organization_member: 'ann' })] }, 0, 'A rule names this person'],
  [
    'member for the member, none for everybody',
    { rules: [rule('none'), rule('member', { organization_member: 'ann' })] },
    1,
    'A rule names this person',
  ],
  [
    'none for the member, admin for everybody',
    { rules: [rule('admin'), rule('none', { organization_member: 'ann' })] },
    0,
    'A rule names this person',
  ],
  [
    'none for the member, admin for a role',
    { rules: [rule('none', { organization_member: 'ann' }), rule('admin', { role: 'ops' })] },
    8,
    'Role “Operations”',
  ],
  ['admin for the role of somebody else', { rules: [rule('admin', { role: 'design' })] }, 1, 'Everybody in the organization'],
  ['a closed project', { isClosed: true }, 0, 'The project is closed, and nothing names this person'],
  ['a closed project with an explicit administrator', { isClosed: true, explicit: { level: 8 } }, 8, 'Named in this project'],
  ['an open project with an explicit administrator', { explicit: { level: 8 } }, 1, 'Everybody in the organization'],
  [
    'a closed project and a rule: it never opens',
    { isClosed: true, rules: [rule('admin', { organization_member: 'ann' })] },
    0,
    'The project is closed, and nothing names this person',
  ],
  [
    'a closed project, an explicit member and none for a role',
    { isClosed: true, explicit: { level: 8 }, rules: [rule('none', { role: 'support' })] },
    0,
    'Role “Support”',
  ],
])('the level by %s', (_what, change, level, reason) => {
  expect(explainProjectLevel({ ...base, ...change })).toEqual({ level, reason });
});

const about = (access_level: string, change: Partial<AccessRule> = {}) =>
  rule(access_level, { resource: 'dashboard', resource_id: null, ...change });

test.each([
  ['no rule', [], 1, 'editor', 'All members, no rule'],
  ['a rule about another kind', [about('none', { resource: 'insight' })], 1, 'editor', 'All members, no rule'],
  ['a rule for everybody', [about('viewer')], 1, 'viewer', 'Rule for everybody'],
  [
    'two roles',
    [about('none', { role: 'support' }), about('manager', { role: 'ops' }), about('viewer')],
    1,
    'manager',
    'Role “Operations”',
  ],
  ['an administrator of the project', [about('none')], 8, 'manager', 'Administrator of the project'],
  ['no access to the project', [about('manager')], 0, 'none', 'No access to the project'],
] as const)('the level on dashboards by %s', (_what, rules, projectLevel, level, reason) => {
  expect(explainObjectLevel({ member: ann, rules, roles }, 'dashboard', projectLevel)).toEqual({ level, reason });
});
