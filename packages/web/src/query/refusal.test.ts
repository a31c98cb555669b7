import { expect, test } from 'vitest';
import { explainWarning, warningText } from './refusal.js';

test('a refusal names the event, what was wrong and what to do', () => {
  const details = { event: '$pageview', eventUuid: 'u', distinctId: 'ann', length: 1_200_000, limit: 1_000_000 };
  expect(explainWarning({ type: 'message_size_too_large', details })).toEqual({
    what: 'An event was too large and was not stored',
    isLost: true,
    field: null,
    sample: '1.2 MB, the limit is 1 MB',
    advice: expect.stringContaining('Send less'),
    event: 'Page view',
    eventUuid: 'u',
    distinctId: 'ann',
  });
});

test('a time that cannot be read is shown as it was sent', () => {
  const details = { event: 'bought', field: 'timestamp', value: 'yesterday' };
  expect(explainWarning({ type: 'ignored_invalid_timestamp', details })).toMatchObject({
    isLost: false,
    field: 'timestamp',
    sample: '"yesterday"',
  });
  const future = { timestamp: Date.UTC(2030, 0, 1), now: Date.UTC(2026, 0, 1) };
  expect(explainWarning({ type: 'event_timestamp_in_future', details: future })).toMatchObject({
    field: 'timestamp',
    sample: '2030-01-01T00:00:00Z, received at 2026-01-01T00:00:00Z',
  });
});

test('properties of a person that became too large are not an event that is lost', () => {
  const warning = { type: 'message_size_too_large', details: { reason: 'person_properties', distinctId: 'ann' } };
  expect(explainWarning(warning)).toMatchObject({ isLost: false, field: '$set', what: expect.stringContaining('person') });
});

test('a type that is not known is shown by its name', () => {
  expect(warningText('something_new')).toBe('Something new');
  expect(explainWarning({ type: 'something_new', details: {} })).toMatchObject({ advice: '', field: null, sample: null });
});
