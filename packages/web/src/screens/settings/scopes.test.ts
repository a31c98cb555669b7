import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { accessOf, PRESETS, presetOf, SCOPES, withAccess } from './scopes.js';

const openapi = readFileSync(new URL('../../../../../openapi.json', import.meta.url), 'utf8');

test('the panel offers each scope that an endpoint of the API needs, and no other', () => {
  const needed = new Set([...openapi.matchAll(/the scope `([a-z_]+:(?:read|write))`/g)].map(([, scope]) => scope));
  const offered = SCOPES.flatMap(({ object, isReadOnly }) =>
    (isReadOnly ? ['read'] : ['read', 'write']).map((access) => `${object}:${access}`),
  );
  expect([...needed].toSorted()).toEqual(offered.toSorted());
});

test('a preset is recognized by its scopes in any order, and anything else is by hand', () => {
  expect(presetOf(PRESETS.flags.scopes.toReversed())).toBe('flags');
  expect(presetOf(['*'])).toBe('all');
  expect(presetOf([])).toBe('hand');
  expect(presetOf(withAccess(PRESETS.flags.scopes, 'insight', 'read'))).toBe('hand');
});

test('writing covers reading, and a scope replaces that of the same kind', () => {
  expect(accessOf(['insight:write'], 'insight')).toBe('write');
  expect(accessOf(['insight:read'], 'dashboard')).toBe('none');
  expect(withAccess(['insight:write', 'query:read'], 'insight', 'read')).toEqual(['query:read', 'insight:read']);
});

test('taking one kind away from everything leaves all the others', () => {
  const scopes = withAccess(['*'], 'user', 'none');
  expect(scopes).not.toContain('*');
  expect(accessOf(scopes, 'user')).toBe('none');
  expect(accessOf(scopes, 'dashboard')).toBe('write');
  expect(accessOf(scopes, 'query')).toBe('read');
});
