import { expect, test } from 'vitest';
import { reasonText, whoEdits, whoSees, whoSeesByLink } from './audience-text.js';

const reach = (visible_to: number, link: 'off' | 'password' | 'anyone' = 'off') => ({ visible_to, editable_by: 1, link });

test('the sentence names the people of the organization and visitors with the link', () => {
  expect(whoSees(reach(1), 1)).toBe('the one person of the organization');
  expect(whoSees(reach(3), 3)).toBe('all 3 people of the organization');
  expect(whoSees(reach(2), 3)).toBe('2 of the 3 people of the organization');
  expect(whoSees(reach(3, 'anyone'), 3)).toBe('all 3 people of the organization, and anybody who has the link');
  expect(whoSees(reach(3, 'password'), 3)).toBe('all 3 people of the organization, and anybody who has the link and a password');
});

test('the words for visitors alone, and for editors', () => {
  expect([whoSeesByLink(reach(3)), whoSeesByLink(reach(3, 'anyone'))]).toEqual(['nobody else', 'anybody who has the link']);
  expect([whoEdits(reach(3)), whoEdits({ ...reach(3), editable_by: 2 })]).toEqual(['1 person', '2 people']);
});

test('a role is named where it is the reason', () => {
  const member = { user: {} as never, user_access_level: 'viewer' as const, can_edit: false, can_edit_after: false };
  expect(reasonText({ ...member, reasons: ['role_rule', 'explicit_member'], roles: ['Analysts'] })).toBe(
    'by the role Analysts, member of this private project',
  );
  expect(reasonText({ ...member, reasons: ['default_level', 'collaborator'], roles: [] })).toBe(
    'everybody in the project sees it, collaborator',
  );
});
