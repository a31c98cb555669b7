import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../kernel/json.js';
import { NO_DEVICE_PROPERTIES } from '../device-properties.js';
import { createPipeline } from '../pipeline.js';
import { createEventContext, type EventContext, STAGES } from './index.js';

const NOW = Date.UTC(2026, 4, 1, 12);

interface Options {
  anonymizeIps?: boolean;
  timestamp?: number;
  place?: JsonObject;
}

function pass(event: string, properties: JsonObject, { anonymizeIps = false, timestamp = NOW, place }: Options = {}) {
  const project = { id: 7, organizationId: 'o', apiToken: 'tmk_x', timezone: 'UTC', anonymizeIps };
  const captured = { uuid: 'u1', hasClientUuid: true, event, distinctId: 'ann', timestamp, properties };
  const context = createEventContext(captured, project, '81.2.69.142', NOW);
  const pipeline = createPipeline(STAGES, { uuid: () => 'fresh', locate: () => place ?? null }, { timed: () => {} });
  return { context, drop: pipeline(context) };
}

const types = (context: EventContext) => context.warnings.map((w) => w.type);

describe('dropped and replaced events', () => {
  test('performance entries of very old SDKs are dropped', () => {
    expect(pass('$performance_event', {}).drop).toMatchObject({ reason: 'performance_event', result: 'drop' });
  });

  test('parts of recordings never become events (A.12)', () => {
    expect(pass('$snapshot', { $snapshot_data: [] }).drop).toMatchObject({ reason: 'snapshot', result: 'drop' });
  });

  test('an error reported by the SDK becomes a warning', () => {
    const { context, drop } = pass('$$client_ingestion_warning', { $$client_ingestion_warning_message: 'too much' });
    expect(drop).toMatchObject({ reason: 'client_ingestion_warning', result: 'warning' });
    expect(context.warnings).toMatchObject([
      { projectId: 7, type: 'client_ingestion_warning', details: { message: 'too much' } },
    ]);
  });

  test.each(['$identify', '$create_alias', '$merge_dangerously', '$groupidentify'])('%s needs person processing', (event) => {
    const { context, drop } = pass(event, { $process_person_profile: false });
    expect(drop).toMatchObject({ reason: 'person_processing_required', result: 'drop' });
    expect(types(context)).toEqual(['invalid_event_when_process_person_profile_is_false']);
    expect(pass(event, { $process_person_profile: true }).drop).toBeUndefined();
  });
});

describe('persons', () => {
  test('without person processing an event does not change its person', () => {
    const { context } = pass('x', {
      $process_person_profile: false,
      $set: { a: 1 },
      $set_once: { b: 1 },
      $unset: ['c'],
      $os: 'Linux',
    });
    expect(context.processProfile).toBe(false);
    expect(context.properties).toEqual({ $process_person_profile: false, $os: 'Linux', $ip: '81.2.69.142' });
    expect([context.device, context.set, context.setOnce, context.unset]).toEqual([NO_DEVICE_PROPERTIES, {}, {}, []]);
  });

  test('device properties are set, and once as the initial value', () => {
    const { context } = pass('x', {
      $browser: 'Firefox',
      utm_source: 'mail',
      plan: 'pro',
      $set: { plan: 'free' },
      $set_once: { first: 1 },
    });
    expect(context.device.values).toEqual({ $browser: 'Firefox' });
    expect(context.set).toEqual({ utm_source: 'mail', plan: 'free' });
    expect(context.setOnce).toEqual({ $initial_utm_source: 'mail', first: 1 });
    // the event itself keeps only what it said
    expect(context.properties).not.toHaveProperty('$set.$browser');
  });

  test('explicit `$set` overrides device properties', () => {
    const { context } = pass('x', {
      utm_source: 'mail',
      $set: { utm_source: 'mine' },
      $set_once: { $initial_utm_source: 'first' },
    });
    expect(context.set.utm_source).toBe('mine');
    expect(context.setOnce.$initial_utm_source).toBe('first');
  });

  test('the operating system of a server is not a property of the person', () => {
    const system = { $os: 'Linux', $os_version: '6', $browser: 'none' };
    expect(pass('x', { $lib: 'posthog-node', ...system }).context.device.values).toEqual({ $browser: 'none' });
    expect(pass('x', { $lib: 'web', ...system }).context.device.values).toEqual(system);
  });

  test.each(['$exception', '$$heatmap'])('%s never changes its person', (event) => {
    const { context } = pass(
      event,
      { $browser: 'Firefox', $set: { a: 1 }, $unset: ['b'] },
      { place: { $geoip_city_name: 'Bonn' } },
    );
    expect([context.device, context.set, context.setOnce, context.unset]).toEqual([NO_DEVICE_PROPERTIES, {}, {}, []]);
  });

  test('$unset is a list of names or the names of an object', () => {
    expect(pass('x', { $unset: ['a', 1, 'b'] }).context.unset).toEqual(['a', 'b']);
    expect(pass('x', { $unset: { a: '', b: '' } }).context.unset).toEqual(['a', 'b']);
  });
});

describe('address and location', () => {
  test('the address is a property of the event, unless the event has its own', () => {
    expect(pass('x', {}).context.properties).toEqual({ $ip: '81.2.69.142' });
    expect(pass('x', { $ip: '1.2.3.4' }).context.properties).toEqual({ $ip: '1.2.3.4' });
    expect(pass('x', { capture_internal: true }).context.properties.$ip).toBe('127.0.0.1');
  });

  test('a project that discards addresses has none, not even those that events have', () => {
    expect(pass('x', { $ip: '1.2.3.4' }, { anonymizeIps: true }).context.properties).toEqual({});
  });

  test('the location is a property of the event and its person, unless it is disabled', () => {
    const place = { $geoip_city_name: 'Bonn' };
    const { context } = pass('x', {}, { place });
    expect(context.properties).toMatchObject(place);
    expect(context.set).toEqual(place);
    expect(context.setOnce).toEqual({ $initial_geoip_city_name: 'Bonn' });
    expect(pass('x', { $geoip_disable: true }, { place }).context.set).toEqual({});
  });
});

test('a time far in the future causes a warning', () => {
  expect(types(pass('x', {}, { timestamp: NOW + 2 * 3_600_000 }).context)).toEqual(['event_timestamp_in_future']);
  expect(types(pass('x', {}, { timestamp: NOW + 60_000 }).context)).toEqual([]);
  // up to an hour is a skewed clock
  expect(types(pass('x', {}, { timestamp: NOW + 3_600_000 }).context)).toEqual([]);
  expect(types(pass('x', {}, { timestamp: NOW + 3_600_001 }).context)).toEqual(['event_timestamp_in_future']);
});

test('heatmap data in an event becomes its own event, with only the properties of the page (A.12)', () => {
  const carrier = { $heatmap_data: { '/': [1] }, $session_id: 's', $current_url: '/', plan: 'pro' };
  const place = { $geoip_city_name: 'Bonn' };
  const { context } = pass('$pageview', carrier, { place });
  expect(context.properties).toEqual({ $session_id: 's', $current_url: '/', plan: 'pro', $ip: '81.2.69.142', ...place });
  expect(context.derived).toHaveLength(1);
  expect(context.derived[0]).toMatchObject({ uuid: 'fresh', event: '$$heatmap', distinctId: 'ann', set: {}, setOnce: {} });
  expect(context.derived[0]?.properties).toEqual({
    $heatmap_data: { '/': [1] },
    $session_id: 's',
    $current_url: '/',
    distinct_id: 'ann',
  });
});

test('elements have their own column', () => {
  const { context } = pass('$autocapture', {
    $elements: [
      {
        tag_name: 'a',
        $el_text: 'Say "hi"',
        attr__class: 'btn big',
        attr__href: '/x',
        attr__id: 'go',
        nth_child: 2,
        nth_of_type: 1,
      },
      { tag_name: 'body', nth_child: 1, nth_of_type: 1 },
    ],
  });
  expect(context.elementsChain).toBe(
    'a.big.btn:attr__class="btn big"attr__href="/x"attr__id="go"attr_id="go"href="/x"nth-child="2"nth-of-type="1"text="Say \\"hi\\"";body:nth-child="1"nth-of-type="1"',
  );
  expect(context.properties).toEqual({ $ip: '81.2.69.142' });
  const ready = pass('$autocapture', { $elements_chain: 'a:b="c"', $elements: [] }).context;
  expect(ready.elementsChain).toBe('a:b="c"');
  expect(ready.properties).toEqual({ $ip: '81.2.69.142' });
});

test('of a clicked element so many ancestors and classes are stored as a page may have', () => {
  const classes = Array.from({ length: 1_500 }, (_, n) => `c${n}`);
  const { context } = pass('$autocapture', {
    $elements: [{ tag_name: 'a', classes }, ...Array.from({ length: 1_500 }, () => ({ tag_name: 'p' }))],
  });
  const [clicked = '', ...ancestors] = context.elementsChain.split(';');
  expect(clicked.match(/\.c\d+/g)).toHaveLength(1_000);
  expect(ancestors).toHaveLength(999);
});
