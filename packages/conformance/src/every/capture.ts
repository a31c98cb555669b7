import { describe, expect, test } from 'vitest';
import type { StartCommon } from '../drivers/driver.js';

const UUID = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

export function captureContract(start: StartCommon): void {
  describe('capture', () => {
    test('CAP-3 while opted out nothing is queued or sent', async () => {
      const { platform, queued, capture, flush } = await start({ opt_out_by_default: true });
      capture('a');
      capture('b', {}, { atOnce: true });
      await flush();
      await platform.advance(60_000);
      expect(queued).toEqual([]);
      expect(platform.requests).toEqual([]);
    });

    test('CAP-8 CAP-10 an event has its name, person, properties, time, id and library', async () => {
      const { queued, capture } = await start();
      const uuid = capture('Signed Up', { source: 'ad' });
      expect(queued).toMatchObject([
        {
          event: 'Signed Up',
          distinct_id: expect.stringMatching(/./),
          timestamp: '2025-01-01T00:00:00.000Z',
          uuid,
          properties: { source: 'ad', $lib: expect.stringMatching(/^tidemark/), $lib_version: expect.stringMatching(/^\d/) },
        },
      ]);
      expect(uuid).toMatch(UUID);
      expect(Object.keys(queued[0] ?? {}).sort()).toEqual(['distinct_id', 'event', 'properties', 'timestamp', 'uuid']);
    });

    test.each(['', '  ', undefined, 7])('CAP-6 CAP-8 an event without a name is dropped: %s', async (name) => {
      const { platform, queued, capture } = await start();
      expect(Reflect.apply(capture, undefined, [name])).toBeUndefined();
      expect(queued).toEqual([]);
      expect(platform.warnings()).toHaveLength(1);
    });

    test('CAP-7 a given time is sent as the same instant with all its digits, and a given uuid unchanged', async () => {
      const { queued, capture } = await start();
      const uuid = '01940000-0000-7000-8000-00000000abcd';
      expect(capture('a', {}, { timestamp: '2025-01-01T02:00:00.123456+02:00', uuid })).toBe(uuid);
      capture('b', {}, { timestamp: new Date(0) });
      expect(queued).toMatchObject([
        { timestamp: '2025-01-01T00:00:00.123456Z', uuid },
        { timestamp: '1970-01-01T00:00:00.000Z', uuid: expect.stringMatching(UUID) },
      ]);
    });

    test('CAP-7 an instant event does not wait for a batch, and runs through before_send', async () => {
      const { platform, capture } = await start({
        disable_flags: true,
        before_send: (event) => ({ ...event, properties: { ...event.properties, seen: true } }),
      });
      capture('now', {}, { atOnce: true });
      await platform.settle();
      expect(platform.requestsTo('/batch/')[0]?.body).toMatchObject({ batch: [{ event: 'now', properties: { seen: true } }] });
    });

    test('CAP-8 capture never throws, for any properties', async () => {
      const { platform, capture, flush } = await start({ disable_flags: true });
      const circular: Record<string, unknown> = { big: 10n };
      circular['self'] = circular;
      const hostile = {
        get trap(): string {
          throw new Error('no');
        },
      };
      capture('a', circular);
      capture('b', { hostile });
      Reflect.apply(capture, undefined, ['c', 'text']);
      await flush();
      expect(JSON.stringify(platform.requestsTo('/batch/')[0]?.body)).toContain('"big":"10"');
    });

    test('CAP-10 capturing $exception warns and names captureException', async () => {
      const { platform, capture } = await start();
      capture('$exception');
      expect(platform.warnings()).toEqual([expect.stringContaining('captureException')]);
    });
  });

  describe('before_send', () => {
    test('CAP-4 BSH-1 it can change an event and drop events by name', async () => {
      const { queued, capture } = await start({
        before_send: (event) =>
          event.event === 'drop' ? null : { ...event, properties: { ...event.properties, filtered: 'yes' } },
      });
      capture('keep');
      expect(capture('drop')).toBeUndefined();
      expect(queued).toMatchObject([{ event: 'keep', properties: { filtered: 'yes' } }]);
    });

    test('CAP-4 hooks that drop everything leave an empty queue', async () => {
      const { platform, queued, capture, flush } = await start({ disable_flags: true, before_send: () => null });
      capture('a');
      await flush();
      expect(queued).toEqual([]);
      expect(platform.requests).toEqual([]);
    });

    test('CAP-5 BSH-2 a hook that throws drops the event: one warning, no later hook, no request', async () => {
      const later: string[] = [];
      const { platform, queued, capture } = await start({
        disable_flags: true,
        before_send: [
          (event) => event,
          () => {
            throw new Error('hook');
          },
          (event) => {
            later.push(event.event);
            return event;
          },
        ],
      });
      expect(capture('a', {}, { atOnce: true })).toBeUndefined();
      capture('b');
      await platform.advance(10_000);
      expect([queued, later, platform.requests]).toEqual([[], [], []]);
      expect(platform.warnings()).toHaveLength(1);
    });

    test('BSH-3 hooks run in order on events of every kind, and stop at null', async () => {
      const seen: string[] = [];
      const { identify, capture } = await start({
        before_send: [
          (event) => (event.event === 'drop' ? null : { ...event, properties: { ...event.properties, first: 1 } }),
          (event) => {
            seen.push(`${event.event} ${event.properties['first']}`);
            return event;
          },
        ],
      });
      capture('a');
      capture('drop');
      identify('user-456');
      expect(seen).toEqual(['a 1', '$identify 1']);
    });
  });

  describe('calls with missing arguments', () => {
    test.each(['', '   ', undefined, null, {}])('IDN-9 identify with the id %s queues nothing and warns', async (id) => {
      const { platform, queued, identify } = await start();
      Reflect.apply(identify, undefined, [id]);
      expect(queued).toEqual([]);
      expect(platform.warnings()).toHaveLength(1);
    });

    test('IDN-16 alias without an id warns', async () => {
      const { platform, queued, alias } = await start();
      alias('');
      expect(queued).toEqual([]);
      expect(platform.warnings()).toHaveLength(1);
    });

    test('GRP-4 groupIdentify sends type, key and properties, and warns without a key', async () => {
      const { platform, queued, groupIdentify } = await start();
      groupIdentify('company', 'company-123', { plan: 'pro' });
      groupIdentify('company', '', { plan: 'pro' });
      expect(queued).toMatchObject([
        {
          event: '$groupidentify',
          properties: { $group_type: 'company', $group_key: 'company-123', $group_set: { plan: 'pro' } },
        },
      ]);
      expect(platform.warnings()).toHaveLength(1);
    });
  });
}
