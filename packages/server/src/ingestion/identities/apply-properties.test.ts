import { describe, expect, test } from 'vitest';
import { devicePropertiesOf, NO_DEVICE_PROPERTIES } from '../device-properties.js';
import { applyProperties, MAX_PROPERTIES, mergeProperties, type Properties, propertiesOf } from './apply-properties.js';

const properties = (values: Properties['values']): Properties => propertiesOf(values, JSON.stringify(values).length);
const change = { event: 'click', device: NO_DEVICE_PROPERTIES, set: {}, setOnce: {}, unset: [] };

/** The values afterwards, null for no write. */
function applied(values: Properties['values'], fields: Partial<typeof change> | Record<string, unknown>) {
  const result = applyProperties(properties(values), { ...change, ...fields });
  return result === null || result === 'too_large' ? result : result.values;
}

describe('the properties of a person after an event', () => {
  test('$set_once sets absent ones, $set replaces, then $unset removes', () => {
    expect(applied({ a: 1 }, { setOnce: { a: 2, b: 2 } })).toEqual({ a: 1, b: 2 });
    expect(applied({ a: 1 }, { set: { a: 3 }, setOnce: { a: 2 } })).toEqual({ a: 3 });
    expect(applied({}, { set: { a: 3 }, setOnce: { a: 2 } })).toEqual({ a: 3 });
    expect(applied({ a: 1, b: 1 }, { set: { b: 2 }, unset: ['a', 'b'] })).toEqual({});
    expect(applied({ a: 1 }, { set: { a: null } })).toEqual({ a: null });
  });

  test('unchanged properties cause no write', () => {
    expect(
      applied({ a: 1, b: [{ c: 1, d: 2 }] }, { set: { a: 1, b: [{ d: 2, c: 1 }] }, setOnce: { a: 5 }, unset: ['z'] }),
    ).toBeNull();
    expect(applied({}, { set: { a: 1 }, unset: ['a'] })).toBeNull();
    expect(applied({ a: [1, 2] }, { set: { a: [1] } })).toEqual({ a: [1] });
    expect(applied({ a: { b: 1 } }, { set: { a: { b: 1, c: 1 } } })).toEqual({ a: { b: 1, c: 1 } });
  });

  test('volatile properties alone cause no write, unless the event is a $set', () => {
    const known = { $current_url: '/a', $geoip_latitude: 1, $geoip_country_name: 'Peru', plan: 'free' };
    const noise = { $current_url: '/b', $geoip_latitude: 2 };
    expect(applied(known, { set: noise })).toBeNull();
    expect(applied(known, { set: noise, event: '$set' })).toEqual({ ...known, ...noise });
    expect(applied(known, { set: { ...noise, plan: 'paid' } })).toEqual({ ...known, ...noise, plan: 'paid' });
    expect(applied(known, { set: { $geoip_country_name: 'Chile' } })).toEqual({ ...known, $geoip_country_name: 'Chile' });
    expect(applied({}, { set: noise })).toEqual(noise);
    expect(applied(known, { unset: ['$current_url'] })).toEqual({
      $geoip_latitude: 1,
      $geoip_country_name: 'Peru',
      plan: 'free',
    });
  });

  test('a changed device property causes no write, and a new one does', () => {
    const device = devicePropertiesOf({ $os: 'Linux', $current_url: '/b', plan: 'paid' }, false);
    const first = { $os: 'Linux', $initial_os: 'Linux', $current_url: '/b', $initial_current_url: '/b' };
    const known = { ...first, $current_url: '/a', $initial_current_url: '/' };
    expect(applied({}, { device })).toEqual(first);
    expect(applied({ $os: 'Linux', $current_url: '/a' }, { device })).toEqual(first);
    expect(applied(known, { device })).toBeNull();
    expect(applied(known, { device, event: '$set' })).toEqual({ ...known, $current_url: '/b' });
    expect(applied(known, { device, setOnce: { plan: 'free' } })).toEqual({ ...known, $current_url: '/b', plan: 'free' });
    expect(applied(known, { device, set: { $current_url: '/c', vip: true } })).toEqual({
      ...known,
      $current_url: '/c',
      vip: true,
    });
    expect(applied({}, { device: devicePropertiesOf({ $os: 'Linux', $browser: 'Firefox' }, true) })).toEqual({
      $browser: 'Firefox',
      $initial_browser: 'Firefox',
    });
  });

  test('text that PostgreSQL cannot store is cleaned', () => {
    const odd = { 'a\0b': 'x\0y', half: '\ud800', deep: [{ '\udc00': '\0' }], huge: Number.POSITIVE_INFINITY };
    const clean = { 'a\ufffdb': 'x\ufffdy', half: '\ufffd', deep: [{ '\ufffd': '\ufffd' }], huge: null };
    expect(applied({}, { set: odd })).toEqual(clean);
    expect(applied({}, { setOnce: odd })).toEqual(clean);
    expect(applied(clean, { set: odd, setOnce: odd })).toBeNull();
    expect(applied(clean, { unset: ['a\0b', 'half', 'deep'] })).toEqual({ huge: null });
  });

  test('names of Object.prototype are ordinary names', () => {
    const names = JSON.parse('{"__proto__": 1, "constructor": 2, "toString": 3}');
    expect(Object.entries(applied({}, { setOnce: names }) ?? {})).toEqual(Object.entries(names));
    expect(Object.entries(applied({}, { set: names }) ?? {})).toEqual(Object.entries(names));
    expect(applied(names, { set: names, setOnce: names })).toBeNull();
  });

  test('the depth of values is limited, so that nothing overflows', () => {
    const deep = JSON.parse(`{"a": ${'['.repeat(5000)}${']'.repeat(5000)}}`);
    const once = applied({}, { set: deep });
    expect(JSON.stringify(once).length).toBeLessThan(20_000);
    expect(applied(once === 'too_large' || once === null ? {} : once, { set: deep })).toBeNull();
  });
});

describe('the size of a person is limited', () => {
  const half = 'x'.repeat(MAX_PROPERTIES / 2);
  test('properties beyond the limit are ignored', () => {
    expect(applied({ a: half }, { set: { b: half, c: 1 } })).toBe('too_large');
    expect(applied({ a: half }, { set: { a: `${half}!` } })).toEqual({ a: `${half}!` });
  });
  test('a merge beyond the limit leaves the properties of the target', () => {
    const target = properties({ b: half });
    expect(mergeProperties(properties({ a: half }), target)).toBe(target);
    expect(mergeProperties(properties({ a: 1, b: 1 }), properties({ b: 2 })).values).toEqual({ a: 1, b: 2 });
  });
});
