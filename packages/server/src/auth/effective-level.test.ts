import { expect, test } from 'vitest';
import { effectiveLevel } from './effective-level.js';

test.each([
  // private, organization, explicit, rule, effective
  [false, null, null, null, null],
  [false, 1, null, null, 1],
  [false, 15, null, null, 15],
  // an explicit membership of an open project sleeps until the project is private
  [false, 1, 8, null, 1],
  [true, null, 8, null, null],
  [true, 1, null, null, null],
  [true, 1, 1, null, 1],
  [true, 1, 8, null, 8],
  [true, 8, null, null, 8],
  [true, 15, 8, null, 15],
  // rules close and raise
  [false, 1, null, 0, null],
  [false, 1, null, 1, 1],
  [false, 1, null, 8, 8],
  [true, 1, 1, 0, null],
  [true, 1, 8, 0, null],
  [true, 1, 1, 8, 8],
  [true, 1, 8, 1, 8],
  // they never open a private project, nor one of another organization
  [true, 1, null, 8, null],
  [false, null, null, 8, null],
  // and say nothing to the organization's administrators
  [false, 8, null, 0, 8],
  [true, 15, null, 0, 15],
  [false, 15, null, 8, 15],
] as const)('private %s, organization %s, explicit %s, rule %s: %s', (isPrivate, organization, explicit, rule, level) => {
  const grants = { access_control: isPrivate, organization_level: organization, explicit_level: explicit, rule_level: rule };
  expect(effectiveLevel(grants)).toBe(level);
});
