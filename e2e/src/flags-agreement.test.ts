import { type Service, startService } from '@tidemark/testkit';
import fc from 'fast-check';
import { PostHog } from 'posthog-node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { anyFlag, cohorts, wholeSubject } from '../../packages/flags/src/testing/random-flags.js';

const FLAGS = 100;
const SUBJECTS = 100;
const SEED = 20_261_121;

let service: Service;
beforeAll(async () => {
  service = await startService();
  const event = { event: '$groupidentify', distinct_id: 'x', properties: { $group_type: 'company', $group_key: 'any' } };
  const { status } = await service.call('POST', '/capture/', {
    key: null,
    body: { api_key: service.account.projectKey, ...event },
  });
  expect(status).toBe(200);
});
afterAll(() => service?.close());

test(`posthog-node 5.70.0 has the same values and payloads by remote and local evaluation, for ${FLAGS * SUBJECTS} random flags x subjects`, async () => {
  await makeCohorts();
  await makeFlags();
  const { projectKey, personalKey } = service.account;
  const local = new PostHog(projectKey, { host: service.url, personalApiKey: personalKey, featureFlagsPollingInterval: 600_000 });
  const remote = new PostHog(projectKey, { host: service.url });
  await local.waitForLocalEvaluationReady();

  let compared = 0;
  for (const { distinctId, person, company } of fc.sample(wholeSubject, { numRuns: SUBJECTS, seed: SEED })) {
    const properties = asSent(person);
    const groups = company === undefined ? {} : { groups: { company }, groupProperties: { company: properties } };
    const options = { personProperties: properties, ...groups };
    const own = await local.getAllFlagsAndPayloads(distinctId, { ...options, onlyEvaluateLocally: true });
    const evaluated = await remote.getAllFlagsAndPayloads(distinctId, options);
    for (const [key, value] of Object.entries(own.featureFlags ?? {})) {
      const payload = own.featureFlagPayloads?.[key] ?? null;
      const theirs = { value: evaluated.featureFlags?.[key], payload: evaluated.featureFlagPayloads?.[key] ?? null };
      expect({ distinctId, key, ...theirs }).toEqual({ distinctId, key, value, payload });
      compared += 1;
    }
  }
  await Promise.all([local.shutdown(), remote.shutdown()]);
  // flags of an absent group are left to the server
  expect(compared).toBeGreaterThan(0.8 * FLAGS * SUBJECTS);
});

async function makeCohorts(): Promise<void> {
  const [made] = fc.sample(cohorts, { numRuns: 1, seed: SEED });
  for (const [id, properties] of Object.entries(made ?? {})) {
    const body = { name: `Cohort ${id}`, filters: { properties } };
    const answer = await service.post('/api/projects/@current/cohorts/', body);
    expect([answer.status, answer.body]).toMatchObject([201, { id: Number(id) }]);
  }
}

/** Flags that the API accepts; invalid ones, such as variants that do not sum to 100 %, are skipped. */
async function makeFlags(): Promise<void> {
  let made = 0;
  for (let id = 1; made < FLAGS; id++) {
    const [flag] = fc.sample(anyFlag(id), { numRuns: 1, seed: SEED + id });
    const body = { key: flag?.key, name: flag?.key, filters: asSent(flag?.filters) };
    const { status } = await service.post('/api/projects/@current/feature_flags/', body);
    expect([201, 400]).toContain(status);
    if (status === 201) made += 1;
    expect(id).toBeLessThan(5 * FLAGS);
  }
}

/** The value after a round trip through JSON. */
const asSent = (value: unknown): Record<string, string> => JSON.parse(JSON.stringify(value));
