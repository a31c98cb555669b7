import { expect, test } from 'vitest';
import { propertyName } from './property-name.js';

test('names of properties are those of people', () => {
  expect(['$os', '$geoip_city_name', '$screen_width', 'plan'].map(propertyName)).toEqual([
    'Operating system',
    'City',
    'Screen width',
    'plan',
  ]);
});

test('what was known at first is named like what is known now', () => {
  expect(['$initial_os', '$initial_referring_domain', '$initial_ip'].map(propertyName)).toEqual([
    'First operating system',
    'First referring domain',
    'First IP address',
  ]);
});
