import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ExperimentCalls, experimentCalls, metric, variants } from '../../testing/experiment-calls.js';
import { startTestService, type TestService } from '../../testing/service.js';

let it: TestService;
let url: ExperimentCalls['url'];
let newKey: ExperimentCalls['newKey'];
let create: ExperimentCalls['create'];
let made: ExperimentCalls['made'];
let act: ExperimentCalls['act'];
let patch: ExperimentCalls['patch'];
let flagOf: ExperimentCalls['flagOf'];
let insertFlag: ExperimentCalls['insertFlag'];
beforeAll(async () => {
  it = await startTestService();
  ({ url, newKey, create, made, act, patch, flagOf, insertFlag } = experimentCalls(it));
});
afterAll(() => it.close());

describe('stages of an experiment', () => {
  test('launch starts the experiment now and switches the flag on', async () => {
    const { id, feature_flag_key: key } = await made();
    const launched = await act(id, 'launch');
    expect([launched.statusCode, launched.json().status]).toEqual([200, 'running']);
    expect(Math.abs(Date.parse(launched.json().start_date) - it.clock.now())).toBeLessThan(5000);
    expect((await flagOf(key)).active).toBe(true);
    expect((await act(id, 'launch')).json()).toMatchObject({ code: 'invalid_input', attr: null });
  });

  test('an experiment needs two variants to start', async () => {
    const { key } = await insertFlag({ groups: [], multivariate: { variants: variants(100) } });
    const { id } = await made({ feature_flag_key: key });
    const refusal = 'An experiment needs a feature flag with at least two variants to start.';
    expect((await act(id, 'launch')).json().detail).toBe(refusal);
    expect((await patch(id, { start_date: '2024-01-01' })).json().detail).toBe(refusal);
    expect((await create({ feature_flag_key: key, start_date: '2024-01-01' })).json().detail).toBe(refusal);
  });

  test('pause switches the flag off, and resume switches it on', async () => {
    const { id, feature_flag_key: key } = await made();
    expect((await act(id, 'pause')).statusCode).toBe(400);
    await act(id, 'launch');
    expect((await act(id, 'resume')).statusCode).toBe(400);
    expect((await act(id, 'pause')).json().status).toBe('paused');
    expect((await flagOf(key)).active).toBe(false);
    expect((await act(id, 'resume')).json().status).toBe('running');
    expect((await flagOf(key)).active).toBe(true);
  });

  test('end stores the time and the conclusion', async () => {
    const { id, feature_flag_key: key } = await made();
    expect((await act(id, 'end')).statusCode).toBe(400);
    await act(id, 'launch');
    it.clock.advance(60_000);
    const ended = (await act(id, 'end', { conclusion: 'won', conclusion_comment: 'More paid.' })).json();
    expect(ended).toMatchObject({ status: 'complete', conclusion: 'won', conclusion_comment: 'More paid.' });
    expect((await flagOf(key)).active).toBe(true);
    expect((await act(id, 'end')).statusCode).toBe(400);
    expect((await patch(id, { end_date: null })).json().status).toBe('running');
  });

  test('ship_variant gives everybody the variant, ends the experiment and records both in one transaction', async () => {
    const { key } = await insertFlag({
      groups: [{ properties: [{ key: 'plan', type: 'person', operator: 'exact', value: ['pro'] }], rollout_percentage: 10 }],
      multivariate: { variants: variants(50, 30, 20) },
      payloads: { test: '{"a":1}' },
      holdout: { id: 3, exclusion_percentage: 10 },
    });
    const { id } = await made({ feature_flag_key: key });
    expect((await act(id, 'ship_variant', { variant_key: 'test' })).statusCode).toBe(400);
    await act(id, 'launch');
    expect((await act(id, 'ship_variant', {})).json().attr).toBe('variant_key');
    expect((await act(id, 'ship_variant', { variant_key: 'fourth' })).json()).toMatchObject({
      code: 'invalid_choice',
      attr: 'variant_key',
    });
    it.clock.advance(60_000);
    const shipped = (await act(id, 'ship_variant', { variant_key: 'test', conclusion: 'won' })).json();
    expect(shipped).toMatchObject({ status: 'complete', shipped_variant: 'test', conclusion: 'won' });
    const { filters, active, version } = await flagOf(key);
    expect([active, version]).toEqual([true, 2]);
    expect(filters).toEqual({
      groups: [
        { properties: [], rollout_percentage: 100 },
        { properties: [{ key: 'plan', type: 'person', operator: 'exact', value: ['pro'] }], rollout_percentage: 10 },
      ],
      multivariate: { variants: variants(0, 100, 0) },
      payloads: { test: '{"a":1}' },
    });
    // the results go on comparing what was compared
    expect(shipped.parameters.feature_flag_variants).toEqual(variants(50, 30, 20));
    const log = (await it.call('GET', `/api/projects/${it.projectId}/activity_log/?limit=2`)).json().results;
    expect(log.map((entry: { scope: string; activity: string }) => [entry.scope, entry.activity]).toSorted()).toEqual([
      ['Experiment', 'updated'],
      ['FeatureFlag', 'updated'],
    ]);
  });

  test('variants cannot be changed after the start without a reset', async () => {
    const { id, feature_flag_key: key } = await made();
    const changed = { parameters: { feature_flag_variants: variants(10, 90), minimum_detectable_effect: 5 } };
    const draft = (await patch(id, changed)).json();
    expect(draft.parameters).toEqual(changed.parameters);
    expect((await flagOf(key)).filters).toMatchObject({ multivariate: changed.parameters && { variants: variants(10, 90) } });
    await act(id, 'launch');
    const refused = await patch(id, { parameters: { feature_flag_variants: variants(50, 50) } });
    expect(refused.json()).toMatchObject({ code: 'invalid_input', attr: 'parameters' });
    // the same again, as forms send it, is no change
    expect((await patch(id, changed)).statusCode).toBe(200);
    expect((await patch(id, { start_date: null })).json().attr).toBe('start_date');
    expect((await act(id, 'reset')).json()).toMatchObject({ status: 'draft', start_date: null, end_date: null });
    expect((await act(id, 'reset')).statusCode).toBe(400);
    expect(
      (await patch(id, { parameters: { feature_flag_variants: variants(50, 50) } })).json().parameters.feature_flag_variants,
    ).toEqual(variants(50, 50));
  });

  test('one update can change the variants and start the experiment', async () => {
    const { id } = await made();
    const answer = await patch(id, { start_date: '2024-01-01', parameters: { feature_flag_variants: variants(40, 40, 20) } });
    expect(answer.json()).toMatchObject({ status: 'running', parameters: { feature_flag_variants: variants(40, 40, 20) } });
    expect(answer.json().feature_flag).toMatchObject({
      active: true,
      filters: { multivariate: { variants: variants(40, 40, 20) } },
    });
  });

  test('the end cannot be before the start', async () => {
    const { id } = await made({ start_date: '2024-05-01', end_date: '2024-05-09' });
    for (const dates of [
      { end_date: '2024-04-30' },
      { start_date: '2024-05-09' },
      { start_date: '2024-06-01', end_date: '2024-05-30' },
    ]) {
      expect((await patch(id, dates)).json()).toMatchObject({ code: 'invalid_input', attr: 'end_date' });
    }
    expect((await patch(id, { start_date: '2024-04-01', end_date: '2024-04-02' })).statusCode).toBe(200);
  });

  test('a running experiment cannot be archived', async () => {
    const { id } = await made();
    await act(id, 'launch');
    expect((await patch(id, { archived: true })).json().attr).toBe('archived');
    it.clock.advance(60_000);
    expect((await patch(id, { archived: true, end_date: new Date(it.clock.now()).toISOString() })).json()).toMatchObject({
      archived: true,
    });
    expect((await it.call('GET', `${url}?archived=true`)).json().results).toEqual([expect.objectContaining({ id })]);
  });

  test('duplicate creates a draft with the same flag or another', async () => {
    const original = await made({ metrics: [metric], description: 'Why', stats_config: { method: 'frequentist' } });
    await act(original.id, 'launch');
    const copy = (await act(original.id, 'duplicate')).json();
    expect(copy).toMatchObject({
      name: 'Checkout (Copy)',
      status: 'draft',
      description: 'Why',
      stats_config: { method: 'frequentist' },
    });
    expect([copy.feature_flag.id, copy.metrics]).toEqual([
      original.feature_flag.id,
      [{ ...metric, uuid: expect.not.stringContaining(original.metrics[0].uuid) }],
    ]);
    const apart = (await act(original.id, 'duplicate', { name: 'Again', feature_flag_key: newKey() })).json();
    expect(apart).toMatchObject({ name: 'Again', status: 'draft', feature_flag: { active: false } });
    expect(apart.parameters.feature_flag_variants).toEqual(original.parameters.feature_flag_variants);
  });

  test('of ten concurrent launches one succeeds', async () => {
    const { id, feature_flag_key: key } = await made();
    const answers = await Promise.all(Array.from({ length: 10 }, () => act(id, 'launch')));
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, ...Array.from({ length: 9 }, () => 400)]);
    expect((await flagOf(key)).version).toBe(2);
  });
});
