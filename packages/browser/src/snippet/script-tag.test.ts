import { expect, test } from 'vitest';
import { optionsOf, serviceOf } from './script-tag.js';

test.each([
  ['https://a.example/static/tidemark.js', 'https://a.example'],
  ['https://shop.example/t/static/tidemark.js?v=2#x', 'https://shop.example/t'],
  ['https://shop.example/a/static/b/static/tidemark.js', 'https://shop.example/a/static/b'],
  ['https://cdn.example/vendor/tidemark.js', 'https://cdn.example'],
  ['', ''],
])('the script %s connects to the service %s', (source, service) => {
  expect(serviceOf(source)).toBe(service);
});

test('attributes of the script are options: JSON, a text, or true if empty', () => {
  const data = {
    apiHost: 'https://a.example',
    capturePageview: 'load',
    capturePageleave: 'false',
    respectDnt: '',
    featureFlagRequestTimeoutMs: '500',
    autocapture: '{"css_selector_ignorelist":[".private"]}',
    personProfiles: '{always',
  };
  expect(optionsOf(data)).toEqual({
    api_host: 'https://a.example',
    capture_pageview: 'load',
    capture_pageleave: false,
    respect_dnt: true,
    feature_flag_request_timeout_ms: 500,
    autocapture: { css_selector_ignorelist: ['.private'] },
    person_profiles: '{always',
  });
});
