// @vitest-environment happy-dom
import { expect, test } from 'vitest';
import { campaignOf, entryProperties, maskUrl } from './campaign.js';

test('campaigns are read from the query string, and options can add parameters', () => {
  const url = 'https://example.com/?utm_source=letter&gclid=abc&ref=friend&utm_medium=#?utm_term=no';
  expect(campaignOf(url)).toEqual({ utm_source: 'letter', gclid: 'abc' });
  expect(campaignOf(url, ['ref'])).toEqual({ utm_source: 'letter', gclid: 'abc', ref: 'friend' });
  expect(campaignOf('https://example.com/utm_source=x')).toEqual({});
  expect(campaignOf('https://example.com/?gclid=first&gclid=second&utm_term=&utm_term=late')).toEqual({ gclid: 'first' });
});

test('click ids and named parameters are masked, and the rest of an address stays', () => {
  expect(
    maskUrl('https://example.com/a?gclid=abc&utm_source=x&email=a%40b.c#fbclid=1', {
      mask_personal_data_properties: true,
      custom_personal_data_properties: ['email'],
    }),
  ).toBe('https://example.com/a?gclid=<masked>&utm_source=x&email=<masked>#fbclid=<masked>');
});

test('the properties of a first visit have their prefix: address, campaign and referrer', () => {
  expect(
    entryProperties('$initial_', 'current_url', {
      url: 'https://example.com/a?utm_source=x',
      referrer: 'https://search.example/q',
    }),
  ).toEqual({
    $initial_current_url: 'https://example.com/a?utm_source=x',
    $initial_host: 'example.com',
    $initial_pathname: '/a',
    $initial_utm_source: 'x',
    $initial_referrer: 'https://search.example/q',
    $initial_referring_domain: 'search.example',
  });
  expect(entryProperties('$initial_', 'current_url', { url: 'https://example.com/', referrer: '' })).toMatchObject({
    $initial_referrer: '$direct',
    $initial_referring_domain: '$direct',
  });
});
