import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../testing/service.js';
import { matchesOrigin, recordingConfig } from './recording-config.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const ON = {
  endpoint: '/s/',
  consoleLogRecordingEnabled: false,
  recorderVersion: 'v2',
  sampleRate: null,
  minimumDurationMilliseconds: null,
  linkedFlag: null,
  networkPayloadCapture: null,
  masking: null,
  urlTriggers: [],
  urlBlocklist: [],
  eventTriggers: [],
  triggerMatchType: null,
  scriptConfig: null,
};

test('a project without recording has false, and one with recording its settings', () => {
  expect(recordingConfig({})).toBe(false);
  expect(recordingConfig({ session_recording_opt_in: true })).toEqual(ON);
  expect(
    recordingConfig({
      session_recording_opt_in: true,
      capture_console_log_opt_in: true,
      session_recording_sample_rate: '0.5',
      session_recording_minimum_duration_milliseconds: 2000,
      session_recording_linked_flag: { key: 'beta', variant: 'test' },
      session_recording_url_trigger_config: [{ url: '/checkout', matching: 'regex' }, { matching: 'regex' }],
      session_recording_event_trigger_config: ['Bought'],
      session_recording_trigger_match_type_config: 'any',
    }),
  ).toEqual({
    ...ON,
    consoleLogRecordingEnabled: true,
    sampleRate: '0.5',
    minimumDurationMilliseconds: 2000,
    linkedFlag: { flag: 'beta', variant: 'test' },
    urlTriggers: [{ url: '/checkout', matching: 'regex' }],
    eventTriggers: ['Bought'],
    triggerMatchType: 'any',
  });
});

test.each([['1.5'], ['-1'], ['half'], ['']])('the sample rate %j counts as not set', (rate) => {
  expect(recordingConfig({ session_recording_opt_in: true, session_recording_sample_rate: rate })).toEqual(ON);
});

test('a linked flag without a variant is sent as its key', () => {
  const config = recordingConfig({ session_recording_opt_in: true, session_recording_linked_flag: { key: 'beta' } });
  expect(config).toMatchObject({ linkedFlag: 'beta' });
});

test.each([
  ['https://shop.example', 'https://shop.example', true],
  ['https://shop.example/path', 'https://shop.example', true],
  ['shop.example', 'https://shop.example', true],
  ['https://*.shop.example', 'https://www.shop.example', true],
  ['https://*.shop.example', 'https://shop.example', false],
  ['https://*.shop.example', 'https://evilshop.example', false],
  ['https://shop.example', 'https://shop.example.evil', false],
])('%s and %s: %s', (site, origin, matches) => {
  expect(matchesOrigin(site, origin)).toBe(matches);
});

test('the remote config tells clients whether they may record', async () => {
  const config = async (origin?: string) =>
    (await service.call('GET', `/array/${service.projectKey}/config`, { key: null, headers: origin ? { origin } : {} })).json();
  const change = (body: object) => service.call('PATCH', `/api/projects/${service.projectId}/`, { body });
  expect((await config()).sessionRecording).toBe(false);
  await change({ session_recording_opt_in: true, recording_domains: ['https://shop.example'] });
  await expect.poll(async () => (await config()).sessionRecording).toEqual(ON);
  expect((await config('https://shop.example')).sessionRecording).toEqual(ON);
  expect((await config('https://other.example')).sessionRecording).toBe(false);
});

test.each([
  { session_recording_retention_period: '7d' },
  { session_recording_trigger_match_type_config: 'some' },
  { session_recording_event_trigger_config: 'Bought' },
  { session_recording_url_trigger_config: ['/x'] },
])('the setting %j is refused', async (body) => {
  expect((await service.call('PATCH', `/api/projects/${service.projectId}/`, { body })).statusCode).toBe(400);
});
