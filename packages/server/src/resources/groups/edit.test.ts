import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemIds } from '../../adapters/system/index.js';
import { recoverOutbox } from '../../ingestion/index.js';
import { EventsUnavailable } from '../../ports/events.js';
import { type GroupCalls, groupCalls, groupIdentify, invalid, NOT_FOUND } from '../../testing/group-calls.js';
import { startTestService, type TestService } from '../../testing/service.js';

let service: TestService;
let it: GroupCalls;
beforeAll(async () => {
  service = await startTestService();
  it = groupCalls(service);
});
afterAll(() => service.close());

describe('groups created by the API', () => {
  const made = { group_type_index: 0, group_key: 'made', group_properties: { name: 'Made', industry: 'toys' } };
  const one = '?group_type_index=0&group_key=made';

  test('create: 201, the group is in both stores, and the outbox is empty', async () => {
    const [status, group] = await it.answer('POST', '/groups/', made);
    expect([status, group]).toEqual([201, { ...made, created_at: expect.stringMatching(/Z$/) }]);
    expect(await it.get(`/groups/find/${one}`)).toEqual({ ...group, notebook: null });
    expect(await it.inEvents('made')).toEqual([made.group_properties]);
    expect(await service.deps.db.selectFrom('analytics_outbox').selectAll().execute()).toEqual([]);
    expect(await it.answer('POST', '/groups/', { ...made, group_properties: { name: 'Other' } })).toEqual([
      400,
      invalid('A group with this key already exists', 'detail'),
    ]);
    expect(await it.inEvents('made')).toEqual([made.group_properties]);
    const empty = { group_type_index: '0', group_key: ' as it is ', group_properties: null };
    expect(await it.answer('POST', '/groups/', empty)).toMatchObject([201, { group_key: ' as it is ', group_properties: {} }]);
  });

  test('properties of groups that the API made are offered in lists', async () => {
    await it.answer('POST', '/groups/', { group_type_index: 0, group_key: 'offered', group_properties: { floors: 3 } });
    await expect
      .poll(async () => (await it.get('/property_definitions/?type=group&group_type_index=0&search=floors')).results)
      .toEqual([expect.objectContaining({ name: 'floors', property_type: 'Numeric' })]);
  });

  test('half of a surrogate pair in a key is stored as the character for what cannot be read', async () => {
    const half = { group_type_index: 0, group_key: 'a\ud800' };
    expect(await it.answer('POST', '/groups/', half)).toMatchObject([201, { group_key: 'a\ufffd' }]);
  });

  test.each([
    [{}, invalid('This field is required.', 'group_type_index', 'required')],
    [{ group_type_index: 5, group_key: 'x' }, invalid('"5" is not a valid choice.', 'group_type_index', 'invalid_choice')],
    [{ group_type_index: 0 }, invalid('This field is required.', 'group_key', 'required')],
    [{ group_type_index: 0, group_key: null }, invalid('This field may not be null.', 'group_key', 'null')],
    [{ group_type_index: 0, group_key: '' }, invalid('This field may not be blank.', 'group_key', 'blank')],
    [
      { group_type_index: 0, group_key: 'x'.repeat(401) },
      invalid('Ensure this field has no more than 400 characters.', 'group_key', 'max_length'),
    ],
    [{ group_type_index: 0, group_key: 'x', group_properties: [] }, invalid('Not a valid object.', 'group_properties')],
  ])('create refuses %j', async (body, error) => {
    expect(await it.answer('POST', '/groups/', body)).toEqual([400, error]);
  });

  test('of concurrent requests that create the same group one succeeds', async () => {
    const body = { group_type_index: 0, group_key: 'raced' };
    const answers = await Promise.all(Array.from({ length: 6 }, () => it.answer('POST', '/groups/', body)));
    expect(answers.map(([status]) => status).sort()).toEqual([201, 400, 400, 400, 400, 400]);
  });

  test('update_property sets one property in both stores', async () => {
    const [status, group] = await it.answer('POST', `/groups/update_property/${one}`, { key: 'industry', value: ['a', null] });
    expect([status, group.group_properties]).toEqual([200, { name: 'Made', industry: ['a', null] }]);
    expect(await it.inEvents('made')).toEqual([group.group_properties]);
    await it.answer('POST', `/groups/update_property/${one}`, { key: 'nothing', value: null });
    expect((await it.get(`/groups/find/${one}`)).group_properties).toEqual({ ...group.group_properties, nothing: null });
    expect(await it.answer('POST', `/groups/update_property/${one}`, { value: 1 })).toEqual([
      400,
      invalid('This field is required.', 'key', 'required'),
    ]);
    expect(await it.answer('POST', `/groups/update_property/${one}`, { key: 'x' })).toEqual([
      400,
      invalid('This field is required.', 'value', 'required'),
    ]);
    expect(await it.answer('POST', '/groups/update_property/?group_type_index=0&group_key=none', {})).toEqual([404, NOT_FOUND]);
    const large = { key: 'large', value: 'x'.repeat(600_000) };
    expect(await it.answer('POST', `/groups/update_property/${one}`, large)).toMatchObject([400, { code: 'invalid_input' }]);
    expect((await it.get(`/groups/find/${one}`)).group_properties).not.toHaveProperty('large');
  });

  test('delete_property removes one property in both stores', async () => {
    const remove = (body: unknown, query = one) => it.answer('POST', `/groups/delete_property/${query}`, body);
    const [status, group] = await remove({ $unset: 'industry' });
    expect([status, group.group_properties]).toEqual([200, { name: 'Made', nothing: null }]);
    await remove({ $unset: 'nothing' });
    expect(await it.inEvents('made')).toEqual([{ name: 'Made' }]);
    expect(await remove({ $unset: 'industry' })).toMatchObject([400, { code: 'invalid_input', attr: '$unset' }]);
    expect(await remove({ $unset: 'toString' })).toMatchObject([400, { attr: '$unset' }]);
    expect(await remove({ $unset: ['name'] })).toEqual([400, invalid('Not a valid string.', '$unset')]);
    expect(await remove({})).toEqual([400, invalid('This field is required.', '$unset', 'required')]);
    expect(await remove({ $unset: 'name' }, '?group_type_index=0&group_key=none')).toEqual([404, NOT_FOUND]);
    expect(await it.inEvents('made')).toEqual([{ name: 'Made' }]);
  });

  test('later events overwrite the properties set by the API', async () => {
    await it.capture(groupIdentify('company', 'made', { size: 7 }));
    expect(await it.inEvents('made')).toEqual([{ name: 'Made', size: 7 }]);
  });

  test('changes made while the event store is unavailable are applied later', async () => {
    const { events } = service.deps;
    const insert = events.insert;
    events.insert = () => Promise.reject(new EventsUnavailable());
    const changed = await it.answer('POST', `/groups/update_property/${one}`, { key: 'size', value: 8 });
    events.insert = insert;
    expect(changed).toMatchObject([200, { group_properties: { size: 8 } }]);
    expect(await it.inEvents('made')).toEqual([{ name: 'Made', size: 7 }]);
    await recoverOutbox(service.deps);
    expect(await it.inEvents('made')).toEqual([{ name: 'Made', size: 8 }]);
  });

  test('changes are in the activity log of groups and of each group', async () => {
    const log = await it.get(`/groups/activity/${one}`);
    const logged = log.results.map((entry: { activity: string; detail: { changes: { field: string; action: string }[] } }) => [
      entry.activity,
      ...entry.detail.changes.map(({ action, field }) => `${action} ${field}`),
    ]);
    expect(logged).toEqual([
      ['updated', 'changed size'],
      ['updated', 'deleted industry'],
      ['updated', 'changed industry'],
      ['created'],
    ]);
    expect(log.results[2]).toMatchObject({
      scope: 'Group',
      user: { email: 'owner@example.com' },
      detail: { name: 'Made', changes: [{ type: 'Group', before: 'toys', after: ['a', null] }] },
    });
    expect((await it.get('/groups/activity/')).count).toBeGreaterThan(log.count);
    expect(await it.answer('GET', '/groups/activity/?group_type_index=0&group_key=none')).toEqual([404, NOT_FOUND]);
  });
});

describe('groups of another system', () => {
  test('a group of another system keeps its date, and its type is made first', async () => {
    const [status, type] = await it.answer('POST', '/groups_types/', { group_type: 'workspace', name_plural: 'Workspaces' });
    expect([status, type]).toEqual([
      200,
      expect.objectContaining({ group_type: 'workspace', name_singular: null, name_plural: 'Workspaces' }),
    ]);
    expect((await it.answer('POST', '/groups_types/', { group_type: 'workspace' }))[1]).toEqual(type);
    const group = { group_type_index: type.group_type_index, group_key: systemIds.uuid(), created_at: '2020-02-03T04:05:06Z' };
    expect(await it.answer('POST', '/groups/', group)).toMatchObject([201, group]);
    for (const group_type of ['second', 'third', 'fourth', 'fifth', 'sixth', 'seventh']) {
      await it.answer('POST', '/groups_types/', { group_type });
    }
    const sixth = await it.answer('POST', '/groups_types/', { group_type: 'eighth' });
    expect(sixth).toEqual([400, invalid('A project may have 5 group types.', 'group_type')]);
  });
});
