import { expect, test } from 'vitest';
import { isShorter, lossText, retentionFields, retentionOptions, retentionValue, stockText } from './retention-texts.js';

const ages = { total: 1_204, deleted: 0, kept_from: null, oldest: '2026-03-04T23:30:00.000000Z' };

test('a row says how many there are, and how many are about to be deleted', () => {
  expect(stockText('events', ages)).toBe('By their time. Whole days (UTC) are deleted. 1,204 events, the oldest of 4 Mar 2026.');
  expect(stockText('exports', { ...ages, total: 1, deleted: 1 })).toBe(
    'Files that people made. They may expire earlier. 1 export, the oldest of 4 Mar 2026. About to be deleted: 1.',
  );
  expect(stockText('activity', { ...ages, total: 0, oldest: null })).toBe('Who changed what. There are none yet.');
  expect(stockText('recordings', null)).toBe('By the end of the session.');
});

test('the question names what a shorter time deletes', () => {
  const loss = { ...ages, deleted: 1_000, kept_from: '2026-08-28T00:00:00.000000Z' };
  expect(lossText('events', '90', loss)).toBe(
    '1,000 of 1,204 events are deleted for good, from before 28 Aug 2026 (UTC). That begins within minutes and cannot be undone. Others follow when they are older than 90 days.',
  );
  expect(lossText('recordings', '1y', { ...loss, deleted: 1, kept_from: '2026-08-28T14:05:00.000000Z' })).toContain(
    '1 of 1,204 recordings is deleted for good, from before 28 Aug 2026, 14:05 (UTC).',
  );
  expect(lossText('exports', '30', { ...loss, deleted: 0 })).toBe(
    'Nothing is deleted now: none of the 1,204 exports is as old. Each will be deleted for good when it is older than 30 days.',
  );
  expect(lossText('recordings', '30d', { ...loss, total: 1, deleted: 0 })).toBe(
    'Nothing is deleted now: the only recording is not as old. Each will be deleted for good when it is older than 30 days.',
  );
  expect(lossText('activity', '45', { ...loss, total: 0, deleted: 0 })).toBe(
    'There are no entries yet. They will be deleted for good when they are older than 45 days.',
  );
});

test('a value that was set through the API stands among the choices, in its place', () => {
  expect(retentionOptions('events', '45').map(({ label }) => label)).toEqual([
    '30 days',
    '45 days',
    '90 days',
    '180 days',
    '1 year',
    '2 years',
    '5 years',
    'For ever',
  ]);
  expect(retentionOptions('recordings', '').map(({ value }) => value)).toEqual(['30d', '90d', '1y', '5y', '']);
});

test('values are settings, and nothing is longer than for ever', () => {
  const settings = {
    events_retention_days: 90,
    exports_retention_days: null,
    activity_retention_days: 365,
    session_recording_retention_period: '1y' as const,
  };
  expect(retentionValue('events', settings)).toBe('90');
  expect(retentionValue('exports', settings)).toBe('');
  expect(retentionFields('recordings', retentionValue('recordings', settings))).toEqual({
    session_recording_retention_period: '1y',
  });
  expect(retentionFields('activity', '')).toEqual({ activity_retention_days: null });
  expect([isShorter('90', ''), isShorter('', '90'), isShorter('5y', '1y'), isShorter('30d', '90d')]).toEqual([
    true,
    false,
    false,
    true,
  ]);
});
