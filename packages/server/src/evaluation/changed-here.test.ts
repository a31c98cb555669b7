import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../testing/service.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** How often something is changed and asked for: the news of a change that the database sends is late only now and then. */
const TIMES = 40;

const change = (body: object) => service.call('PATCH', `/api/projects/${service.projectId}/`, { body });
const ask = async (url: string, headers: Record<string, string> = {}) => {
  const body = { token: service.projectKey, distinct_id: 'ann' };
  return (await service.call('POST', url, { key: null, body, headers })).json();
};

test('a change made by a server applies to its next response', async () => {
  const flags = `/api/environments/${service.projectId}/feature_flags/`;
  const body = { key: 'new', filters: { groups: [{ rollout_percentage: 100 }] } };
  const { id } = (await service.call('POST', flags, { body })).json();
  const seen: unknown[] = [(await ask('/flags/?v=1')).featureFlags];
  const expected: unknown[] = [{ new: true }];
  for (let i = 0; i < TIMES; i++) {
    const active = i % 2 === 1;
    await service.call('PATCH', `${flags}${id}/`, { body: { active } });
    seen.push((await ask('/flags/?v=1')).featureFlags);
    expected.push(active ? { new: true } : {});
  }
  expect(seen).toEqual(expected);
});

test('the same request from a page that may not be recorded is evaluated again', async () => {
  await change({ session_recording_opt_in: true, recording_domains: ['https://shop.example'] });
  const config = '/flags/?v=2&config=true';
  expect((await ask(config, { origin: 'https://shop.example' })).sessionRecording).toMatchObject({ endpoint: '/s/' });
  expect((await ask(config, { origin: 'https://other.example' })).sessionRecording).toBe(false);
  expect((await ask(config)).sessionRecording).toMatchObject({ endpoint: '/s/' });
});
