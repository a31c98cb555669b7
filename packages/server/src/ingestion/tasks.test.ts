import { expect, test } from 'vitest';
import type { JsonObject } from '../kernel/json.js';
import { createEventContext } from './stages/index.js';
import { groupTask, personTask } from './tasks.js';

const project = { id: 7, organizationId: 'o', apiToken: 't', timezone: 'UTC', anonymizeIps: false };
const context = (event: string, properties: JsonObject) =>
  createEventContext({ uuid: 'u', hasClientUuid: true, event, distinctId: 'ann', timestamp: 1, properties }, project, '', 1);

test.each([
  ['$identify', { $anon_distinct_id: 'anon' }, { source: 'anon', force: false }],
  ['$identify', {}, null],
  ['$create_alias', { alias: 12 }, { source: '12', force: false }],
  ['$create_alias', { alias: {} }, { source: '[object Object]', force: false }],
  ['$identify', { $anon_distinct_id: ['a'] }, { source: '[object Object]', force: false }],
  ['$merge_dangerously', { alias: 'old' }, { source: 'old', force: true }],
  ['$pageview', { alias: 'old', $anon_distinct_id: 'anon' }, null],
])('%s %j merges %j', (event, properties, merge) => {
  expect(personTask(context(event, properties))).toMatchObject({ merge, identifies: merge !== null });
});

test('groups are texts, and only $groupidentify sets their properties', () => {
  expect(groupTask(context('x', { $groups: { company: 'acme', team: 5, none: null, empty: '' } }))).toEqual({
    projectId: 7,
    timestamp: 1,
    memberships: { company: 'acme', team: '5' },
    identify: null,
  });
  const identify = { $group_type: 'company', $group_key: 'acme', $group_set: { size: 3 } };
  expect(groupTask(context('$groupidentify', identify)).identify).toEqual({ type: 'company', key: 'acme', set: { size: 3 } });
  expect(groupTask(context('$groupidentify', { $group_type: 'company' })).identify).toBeNull();
});
