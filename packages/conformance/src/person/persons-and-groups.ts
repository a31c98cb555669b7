import { describe, expect, test } from 'vitest';
import type { Start } from '../drivers/driver.js';
import { flagRequests, lastFlagRequest } from '../drivers/seen.js';

export function personsAndGroupsContract(start: Start): void {
  describe('person properties', () => {
    test('PER-1 PER-2 PER-3 they are sent in one $set, once, and are part of the flag request', async () => {
      const { client, platform, queued } = await start();
      await platform.advance(100);
      const before = flagRequests(platform);
      client.setPersonProperties({ email: 'a@b.c' }, { first_seen: 'x', email: 'older' });
      client.setPersonProperties({ email: 'a@b.c' }, { email: 'older', first_seen: 'x' });
      await platform.advance(100);
      expect(queued).toMatchObject([
        {
          event: '$set',
          distinct_id: client.getDistinctId(),
          properties: { $set: { email: 'a@b.c' }, $set_once: { first_seen: 'x' }, $process_person_profile: true },
        },
      ]);
      expect(flagRequests(platform)).toBe(before + 1);
      expect(lastFlagRequest(platform)).toMatchObject({ person_properties: { email: 'a@b.c', first_seen: 'x' } });
    });

    test('PER-1 empty properties send nothing', async () => {
      const { client, queued } = await start();
      client.setPersonProperties();
      client.setPersonProperties({});
      expect(queued).toEqual([]);
    });

    test('PER-2 RST-2 after a reset the same properties are sent again', async () => {
      const { client, queuedAs } = await start();
      client.setPersonProperties({ a: 1 });
      client.reset();
      client.setPersonProperties({ a: 1 });
      expect(queuedAs('$set')).toHaveLength(2);
    });

    test('PER-4 PER-5 createPersonProfile makes a profile once, with the same identity, and later events have one', async () => {
      const { client, queued } = await start();
      const id = client.getDistinctId();
      client.capture('before');
      client.createPersonProfile();
      client.createPersonProfile();
      client.capture('after');
      expect(queued.map(({ event, properties }) => [event, properties['$process_person_profile']])).toEqual([
        ['before', false],
        ['$set', true],
        ['after', true],
      ]);
      expect(queued[1]?.distinct_id).toBe(id);
      for (const name of ['$set', '$set_once']) expect(queued[1]?.properties).toHaveProperty(name, {});
      expect(client.getDistinctId()).toBe(id);
    });
  });

  describe('groups', () => {
    test('GRP-1 GRP-6 groups of several types are stored over restarts, and load flags once', async () => {
      const first = await start();
      const { client, platform, queued } = first;
      client.group('company', 'company-123');
      client.group('team', 'a');
      client.group('team', 'b');
      await platform.advance(100);
      const before = flagRequests(platform);
      client.group('team', 'b');
      client.capture('x');
      await platform.advance(1_000);
      expect(queued.map(({ event }) => event)).toEqual(['$groupidentify', '$groupidentify', '$groupidentify', 'x']);
      const groups = { company: 'company-123', team: 'b' };
      expect(queued.at(-1)?.properties['$groups']).toEqual(groups);
      expect(flagRequests(platform)).toBe(before);
      client.group('team', 'c');
      await platform.advance(100);
      expect(flagRequests(platform)).toBe(before + 1);
      client.group('team', 'b');
      await platform.advance(1_000);
      expect((await first.restart()).client.capture('y')?.properties['$groups']).toEqual(groups);
    });

    test('GRP-2 they can have properties, which are part of the flag request', async () => {
      const { client, platform, queued } = await start();
      client.group('company', 'company-123', { plan: 'pro' });
      await platform.advance(100);
      expect(queued).toMatchObject([
        {
          event: '$groupidentify',
          properties: { $group_type: 'company', $group_key: 'company-123', $group_set: { plan: 'pro' } },
        },
      ]);
      expect(lastFlagRequest(platform)).toMatchObject({
        groups: { company: 'company-123' },
        group_properties: { company: { plan: 'pro' } },
      });
      expect(client.capture('a')?.properties['$groups']).toEqual({ company: 'company-123' });
    });

    test.each([
      ['company', ''],
      ['', 'two'],
    ])('GRP-3 type "%s" and key "%s" change nothing, with a warning', async (type, key) => {
      const { client, platform, queued } = await start();
      client.group('company', 'one');
      client.group(type, key);
      expect(client.getGroups()).toEqual({ company: 'one' });
      expect(queued).toHaveLength(1);
      expect(platform.warnings()).toHaveLength(1);
    });

    test('GRP-5 groupIdentify does not join the group', async () => {
      const { client } = await start();
      client.group('company', 'mine');
      client.groupIdentify('company', 'other', { plan: 'pro' });
      client.groupIdentify('team', 'other');
      expect(client.getGroups()).toEqual({ company: 'mine' });
    });
  });
}
