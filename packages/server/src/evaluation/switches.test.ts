import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../testing/service.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const SETTINGS = {
  autocapture_opt_out: true,
  capture_dead_clicks: true,
  heatmaps_opt_in: true,
  autocapture_exceptions_opt_in: true,
  autocapture_web_vitals_opt_in: true,
  capture_performance_opt_in: true,
};
type Name = keyof typeof SETTINGS;
const OFF = {
  autocapture_opt_out: false,
  captureDeadClicks: false,
  heatmaps: false,
  autocaptureExceptions: false,
  errorTracking: { autocaptureExceptions: false, suppressionRules: [] },
  capturePerformance: false,
};
const timing = (network_timing: boolean, web_vitals: boolean) => ({
  capturePerformance: { network_timing, web_vitals, web_vitals_allowed_metrics: null },
});

/** The configuration at each address at which SDKs ask for it. */
async function configs(): Promise<object[]> {
  const body = { token: service.projectKey, distinct_id: 'ann' };
  const answers = await Promise.all([
    service.call('GET', `/array/${service.projectKey}/config`, { key: null }),
    service.call('POST', '/flags/?v=2&config=true', { key: null, body }),
    service.call('POST', '/decide/?v=3', { key: null, body }),
  ]);
  return answers.map((answer) => answer.json());
}

test.each<[Partial<Record<Name, boolean | null>>, object]>([
  [{ capture_dead_clicks: true }, { captureDeadClicks: true }],
  [{ heatmaps_opt_in: true }, { heatmaps: true }],
  [
    { autocapture_exceptions_opt_in: true },
    { autocaptureExceptions: { endpoint: '/e/' }, errorTracking: { autocaptureExceptions: true, suppressionRules: [] } },
  ],
  [{ autocapture_web_vitals_opt_in: true }, timing(false, true)],
  [{ capture_performance_opt_in: true }, timing(true, false)],
  [{ autocapture_opt_out: true }, { autocapture_opt_out: true }],
  [{ capture_dead_clicks: false, heatmaps_opt_in: null }, {}],
])('the settings %j are in the response of every endpoint that clients use', async (settings, config) => {
  const nothing = Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, null]));
  const answer = await service.call('PATCH', `/api/projects/${service.projectId}/`, { body: { ...nothing, ...settings } });
  expect(answer.json()).toMatchObject(settings);
  await expect.poll(configs).toEqual([1, 2, 3].map(() => expect.objectContaining({ ...OFF, ...config })));
});
