import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ExperimentCalls, experimentCalls, metric, variants } from '../../testing/experiment-calls.js';
import { startTestService, type TestService } from '../../testing/service.js';

let it: TestService;
let url: ExperimentCalls['url'];
let create: ExperimentCalls['create'];
let made: ExperimentCalls['made'];
let act: ExperimentCalls['act'];
let patch: ExperimentCalls['patch'];
let flagOf: ExperimentCalls['flagOf'];
let insertFlag: ExperimentCalls['insertFlag'];
beforeAll(async () => {
  it = await startTestService();
  ({ url, create, made, act, patch, flagOf, insertFlag } = experimentCalls(it));
});
afterAll(() => it.close());

describe('creating an experiment', () => {
  test('a new key creates a multivariate flag that is off until the start', async () => {
    const experiment = await made({ parameters: { rollout_percentage: 40, note: 'kept' }, metrics: [metric] });
    expect(experiment).toEqual({
      id: expect.any(Number),
      name: 'Checkout',
      description: '',
      start_date: null,
      end_date: null,
      feature_flag_key: experiment.feature_flag.key,
      feature_flag: expect.objectContaining({ active: false, deleted: false, version: 1 }),
      holdout: null,
      exposure_cohort: null,
      parameters: {
        note: 'kept',
        feature_flag_variants: [
          { key: 'control', name: 'Control', rollout_percentage: 50 },
          { key: 'test', name: 'Test', rollout_percentage: 50 },
        ],
      },
      secondary_metrics: [],
      saved_metrics: [],
      saved_metrics_ids: [],
      scheduling_config: null,
      type: 'product',
      filters: {},
      archived: false,
      deleted: false,
      created_by: expect.objectContaining({ email: 'owner@example.com' }),
      created_at: expect.any(String),
      updated_at: expect.any(String),
      version: 1,
      last_modified_by: null,
      metrics: [{ ...metric, uuid: expect.any(String) }],
      metrics_secondary: [],
      stats_config: {},
      exposure_criteria: {},
      conclusion: null,
      conclusion_comment: null,
      shipped_variant: null,
      baseline: 'control',
      status: 'draft',
      user_access_level: 'manager',
    });
    expect(experiment.feature_flag.filters.groups).toEqual([{ properties: [], rollout_percentage: 40 }]);
    expect((await it.call('GET', `${url}${experiment.id}/`)).json()).toEqual(experiment);
    expect((await it.call('GET', `${url}?search=${experiment.feature_flag_key}`)).json().results[0]).toEqual(experiment);
  });

  test('a new flag gets the variants of the request, and the first is the baseline if none has the key control', async () => {
    const own = [
      { key: 'old', rollout_percentage: 33.4 },
      { key: 'new', name: 'New', rollout_percentage: 66.6 },
    ];
    const experiment = await made({ parameters: { feature_flag_variants: own } });
    expect(experiment.parameters.feature_flag_variants).toEqual(own);
    expect(experiment.baseline).toBe('old');
  });

  test('percentages of thirds, which sum to almost 100, are accepted as in flags', async () => {
    const thirds = variants(33.33, 33.33, 33.33);
    const { feature_flag } = await made({ parameters: { feature_flag_variants: thirds } });
    expect(feature_flag.filters.multivariate.variants).toEqual(thirds);
  });

  test('an existing multivariate flag is found by its key', async () => {
    const { key, id } = await insertFlag({ groups: [], multivariate: { variants: variants(20, 80) } });
    const experiment = await made({ feature_flag_key: key });
    expect(experiment.feature_flag).toMatchObject({ id, version: 1, active: true });
    expect(experiment.parameters.feature_flag_variants).toEqual(variants(20, 80));
    const other = await create({ feature_flag_key: key, parameters: { feature_flag_variants: variants(50, 50) } });
    expect(other.json()).toMatchObject({ attr: 'parameters', detail: 'This feature flag exists and has other variants.' });
    expect((await create({ feature_flag_key: key, parameters: { feature_flag_variants: variants(20, 80) } })).statusCode).toBe(
      201,
    );
  });

  test('a flag without variants is refused', async () => {
    const { key } = await insertFlag({ groups: [] });
    expect((await create({ feature_flag_key: key })).json()).toMatchObject({ code: 'invalid_input', attr: 'feature_flag_key' });
  });

  test('a start date starts the experiment', async () => {
    const start = '2024-05-01T10:00:00Z';
    const experiment = await made({ start_date: start, end_date: '2024-05-20T10:00:00Z' });
    expect(experiment).toMatchObject({ status: 'complete', start_date: start, feature_flag: { active: true } });
  });

  test('an experiment of another system has its variants at the start and what was shipped, whatever its flag gives now', async () => {
    const { key } = await insertFlag({ groups: [], multivariate: { variants: variants(0, 100) } });
    const [{ key: control = '' } = {}, { key: shipped = '' } = {}] = variants(50, 50);
    const past = {
      feature_flag_key: key,
      start_date: '2024-05-01T10:00:00Z',
      end_date: '2024-05-20T10:00:00Z',
      parameters: { feature_flag_variants: variants(50, 50) },
    };
    const experiment = await made({ ...past, shipped_variant: shipped });
    expect(experiment).toMatchObject({ shipped_variant: shipped, parameters: { feature_flag_variants: variants(50, 50) } });
    expect(experiment.feature_flag.filters.multivariate.variants).toEqual(variants(0, 100));
    const refusalOf = async (fields: object) => (await create({ ...past, ...fields })).json().attr;
    expect(await refusalOf({ parameters: { feature_flag_variants: variants(40, 40, 20) } })).toBe('parameters');
    expect(await refusalOf({ shipped_variant: 'other' })).toBe('shipped_variant');
    expect(await refusalOf({ end_date: null, shipped_variant: control })).toBe('shipped_variant');
  });

  const DATES = 'end_date';
  test.each([
    [{ name: '' }, 'blank', 'name'],
    [{ name: undefined }, 'required', 'name'],
    [{ feature_flag_key: undefined }, 'required', 'feature_flag_key'],
    [{ feature_flag_key: 'not a key' }, undefined, 'feature_flag_key'],
    [{ start_date: 'soon' }, 'invalid_input', 'start_date'],
    [{ end_date: '2024-05-01' }, 'invalid_input', DATES],
    [{ start_date: '2024-05-02', end_date: '2024-05-01' }, 'invalid_input', DATES],
    [{ start_date: '2024-05-02', end_date: '2024-05-02' }, 'invalid_input', DATES],
    [{ parameters: 7 }, 'invalid_input', 'parameters'],
    [{ parameters: { feature_flag_variants: [7] } }, 'invalid_input', 'parameters__feature_flag_variants__0'],
    [
      { parameters: { feature_flag_variants: [{ key: 'a' }] } },
      'required',
      'parameters__feature_flag_variants__0__rollout_percentage',
    ],
    [{ parameters: { feature_flag_variants: variants(50, 40) } }, 'invalid_input', 'parameters__feature_flag_variants'],
    [
      { parameters: { feature_flag_variants: [...variants(50), ...variants(50)] } },
      'invalid_input',
      'parameters__feature_flag_variants',
    ],
    [{ parameters: { minimum_detectable_effect: 0 } }, 'invalid_input', 'parameters__minimum_detectable_effect'],
    [{ metrics: {} }, 'not_a_list', 'metrics'],
    [{ metrics: [{ metric_type: 'mode' }] }, 'invalid_choice', 'metrics__0__metric_type'],
    [{ metrics_secondary: [metric, { metric_type: 'mean' }] }, 'required', 'metrics_secondary__1__source'],
    [{ metrics: Array.from({ length: 21 }, () => metric) }, 'invalid_input', 'metrics'],
    [
      { exposure_criteria: { multiple_variant_handling: 'both' } },
      'invalid_choice',
      'exposure_criteria__multiple_variant_handling',
    ],
    [{ stats_config: { method: 'magic' } }, 'invalid_choice', 'stats_config__method'],
    [{ stats_config: { bayesian: { ci_level: 95 } } }, 'invalid_input', 'stats_config__bayesian__ci_level'],
    [{ conclusion: 'great' }, 'invalid_choice', 'conclusion'],
  ])('%j is refused', async (fields, code, attr) => {
    const answer = await create(fields);
    expect([answer.statusCode, answer.json()]).toEqual([400, expect.objectContaining({ ...(code ? { code } : {}), attr })]);
  });
});

describe('change and delete', () => {
  test('PATCH and PUT change only the fields of their body', async () => {
    const { id, metrics } = await made({ metrics: [metric] });
    const changed = (
      await it.call('PUT', `${url}${id}/`, { body: { description: ' Why ', metrics: [...metrics, metric] } })
    ).json();
    expect(changed).toMatchObject({ name: 'Checkout', description: 'Why' });
    expect([changed.metrics.length, changed.metrics[0].uuid]).toEqual([2, metrics[0].uuid]);
    expect(changed.metrics[1].uuid).not.toBe(metrics[0].uuid);
    expect((await patch(id, { feature_flag_key: 'other' })).json().attr).toBe('feature_flag_key');
    expect((await patch(id, { description: null, metrics: null, exposure_criteria: null })).json()).toMatchObject({
      description: '',
      metrics: [],
    });
    const log = (await it.call('GET', `${url}${id}/activity/`)).json().results;
    expect(log.map(({ activity }: { activity: string }) => activity)).toEqual(['updated', 'updated', 'created']);
  });

  test('an experiment is deleted and restored by updates; DELETE is not allowed', async () => {
    const { id, feature_flag_key: key } = await made();
    expect((await it.call('DELETE', `${url}${id}/`)).statusCode).toBe(405);
    expect((await patch(id, { deleted: true })).json().deleted).toBe(true);
    for (const answer of [
      await it.call('GET', `${url}${id}/`),
      await patch(id, { name: 'x' }),
      await act(id, 'launch'),
      await act(id, 'duplicate'),
    ]) {
      expect(answer.statusCode).toBe(404);
    }
    expect((await it.call('GET', `${url}?search=${key}`)).json().count).toBe(0);
    expect((await flagOf(key)).deleted).toBe(false);
    expect((await patch(id, { deleted: false })).json().deleted).toBe(false);
  });

  test('lists are filtered by status, flag and creator', async () => {
    const { id, feature_flag } = await made();
    const ids = async (query: string) =>
      (await it.call('GET', `${url}?${query}`)).json().results.map((one: { id: number }) => one.id);
    expect(await ids(`feature_flag_id=${feature_flag.id}`)).toEqual([id]);
    expect(await ids(`feature_flag_id=${feature_flag.id}&status=draft`)).toEqual([id]);
    expect(await ids(`feature_flag_id=${feature_flag.id}&status=running`)).toEqual([]);
    expect(await ids('created_by_id=2147483647')).toEqual([]);
    expect((await it.call('GET', `${url}?status=odd`)).json()).toMatchObject({ code: 'invalid_choice', attr: 'status' });
    expect((await it.call('GET', `${url}?limit=1`)).json()).toMatchObject({
      next: expect.stringContaining('offset=1'),
      results: [{ id: expect.any(Number) }],
    });
  });
});

describe('fields of an experiment', () => {
  const mean = (source: object) => ({ metric_type: 'mean', source: { kind: 'EventsNode', event: 'paid', ...source } });

  test('`properties: {}` of a metric means no filters', async () => {
    expect((await create({ metrics: [mean({ properties: {} })] })).statusCode).toBe(201);
  });

  test('a response can be sent back as a body', async () => {
    const { id, ...experiment } = await made({ metrics: [metric] });
    const answer = await patch(id, { ...experiment, name: 'Renamed' });
    expect([answer.statusCode, answer.json().name]).toEqual([200, 'Renamed']);
  });

  test('a holdout is set on the flag and can be changed until the start', async () => {
    const holdout = { id: 4, exclusion_percentage: 10 };
    const experiment = await made({ holdout });
    const { key } = experiment.feature_flag;
    expect(experiment).toMatchObject({ holdout, feature_flag: { filters: { holdout } } });
    const parameters = { feature_flag_variants: variants(20, 80) };
    const changed = await patch(experiment.id, { parameters, holdout: { ...holdout, exclusion_percentage: 20 } });
    expect(changed.statusCode).toBe(200);
    expect((await flagOf(key)).filters).toMatchObject({
      holdout: { id: 4, exclusion_percentage: 20 },
      multivariate: { variants: variants(20, 80) },
    });
    expect((await patch(experiment.id, { holdout: null })).json().holdout).toBeNull();
    expect((await flagOf(key)).filters).not.toHaveProperty('holdout');
    await act(experiment.id, 'launch');
    const late = await patch(experiment.id, { holdout });
    expect([late.statusCode, late.json().attr]).toEqual([400, 'holdout']);
  });

  test.each<[object, string]>([
    [{ saved_metrics_ids: [{ id: 1 }] }, 'saved_metrics_ids'],
    [{ holdout_id: 3 }, 'holdout_id'],
    [{ type: 'web' }, 'type'],
    [{ filters: { events: [{ id: 'paid' }] } }, 'filters'],
    [{ parameters: { aggregation_group_type_index: 0 } }, 'parameters__aggregation_group_type_index'],
    [{ metrics: [mean({ fixedProperties: [{ key: 'a' }] })] }, 'metrics__0__source__fixedProperties'],
    [{ metrics: [{ ...mean({}), breakdownFilter: { breakdowns: [{ property: 'a' }] } }] }, 'metrics__0__breakdownFilter'],
    [{ exposure_criteria: { cohort: 4 } }, 'exposure_criteria__cohort'],
  ])('%j is refused, not ignored', async (fields, attr) => {
    const answer = await create(fields);
    expect([answer.statusCode, answer.json().attr]).toEqual([400, attr]);
  });
});
