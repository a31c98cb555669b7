import { expect, test } from 'vitest';
import { filterOfSearch, searchOf } from './filter-of-search.js';

test('an address without filters shows the last week, the latest first', () => {
  expect(filterOfSearch(searchOf({}))).toEqual({
    range: { from: '-7d', to: null },
    address: '',
    event: null,
    seconds: 0,
    order: 'start_time',
  });
});

test('an address keeps what a list can be limited to, and nothing else', () => {
  const search = searchOf({ from: 'all', url: '/cart', event: 'paid', min: '60', by: 'recording_duration', to: 7, more: 'x' });
  expect(filterOfSearch(search)).toEqual({
    range: { from: 'all', to: null },
    address: '/cart',
    event: 'paid',
    seconds: 60,
    order: 'recording_duration',
  });
  expect(searchOf({ min: 'a lot', by: 'luck', to: '2026-11-01' })).toEqual({});
});
