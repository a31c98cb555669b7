import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '../../testing/service.js';

let it: TestService;
let url: string;
beforeAll(async () => {
  it = await startTestService();
  url = `/api/projects/${it.projectId}/experiments/`;
});
afterAll(() => it.close());

let keys = 0;
const newKey = () => `flag-${++keys}`;
const create = async (fields: object = {}) =>
  it.call('POST', url, { body: { name: 'Checkout', feature_flag_key: newKey(), ...fields } });
const made = async (fields: object = {}) => {
  const answer = await create(fields);
  expect([answer.statusCode, answer.body]).toEqual([201, expect.any(String)]);
  return answer.json();
};
const act = (id: number, action: string, body: object = {}) => it.call('POST', `${url}${id}/${action}/`, { body });
const patch = (id: number, body: object) => it.call('PATCH', `${url}${id}/`, { body });
const flagOf = async (key: string) =>
  it.deps.db
    .selectFrom('feature_flags')
    .selectAll()
    .where('key', '=', key)
    .where('project_id', '=', it.projectId)
    .executeTakeFirstOrThrow();
const insertFlag = async (filters: object, fields: object = {}) => {
  const key = newKey();
  const answer = await it.call('POST', `/api/projects/${it.projectId}/feature_flags/`, { body: { key, filters, ...fields } });
  return { key, status: answer.statusCode, id: answer.json().id };
};
const variants = (...shares: number[]) =>
  shares.map((rollout_percentage, index) => ({ key: ['control', 'test', 'third'][index] ?? '', rollout_percentage }));
const metric = { metric_type: 'mean', source: { kind: 'EventsNode', event: 'paid' } };

describe('create', () => {
  test('with a new key makes a multivariate flag that is off until the start', async () => {
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
      filters: {},
      archived: false,
      deleted: false,
      created_by: expect.objectContaining({ email: 'owner@example.com' }),
      created_at: expect.any(String),
      updated_at: expect.any(String),
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

  test('with the variants of a new flag, the first of which is the baseline when none is called control', async () => {
    const own = [
      { key: 'old', rollout_percentage: 33.4 },
      { key: 'new', name: 'New', rollout_percentage: 66.6 },
    ];
    const experiment = await made({ parameters: { feature_flag_variants: own } });
    expect(experiment.parameters.feature_flag_variants).toEqual(own);
    expect(experiment.baseline).toBe('old');
  });

  test('on an existing multivariate flag by key', async () => {
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

  test('on a flag without variants is refused', async () => {
    const { key } = await insertFlag({ groups: [] });
    expect((await create({ feature_flag_key: key })).json()).toMatchObject({ code: 'invalid_input', attr: 'feature_flag_key' });
  });

  test('with a start date starts', async () => {
    const start = '2024-05-01T10:00:00Z';
    const experiment = await made({ start_date: start, end_date: '2024-05-20T10:00:00Z' });
    expect(experiment).toMatchObject({ status: 'complete', start_date: start, feature_flag: { active: true } });
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

describe('stages', () => {
  test('launch starts now and switches the flag on', async () => {
    const { id, feature_flag_key: key } = await made();
    const launched = await act(id, 'launch');
    expect([launched.statusCode, launched.json().status]).toEqual([200, 'running']);
    expect(Math.abs(Date.parse(launched.json().start_date) - it.clock.now())).toBeLessThan(5000);
    expect((await flagOf(key)).active).toBe(true);
    expect((await act(id, 'launch')).json()).toMatchObject({ code: 'invalid_input', attr: null });
  });

  test('the start needs two variants', async () => {
    const { key } = await insertFlag({ groups: [], multivariate: { variants: variants(100) } });
    const { id } = await made({ feature_flag_key: key });
    const refusal = 'An experiment needs a feature flag with at least two variants to start.';
    expect((await act(id, 'launch')).json().detail).toBe(refusal);
    expect((await patch(id, { start_date: '2024-01-01' })).json().detail).toBe(refusal);
    expect((await create({ feature_flag_key: key, start_date: '2024-01-01' })).json().detail).toBe(refusal);
  });

  test('pause switches the flag off, resume on again', async () => {
    const { id, feature_flag_key: key } = await made();
    expect((await act(id, 'pause')).statusCode).toBe(400);
    await act(id, 'launch');
    expect((await act(id, 'resume')).statusCode).toBe(400);
    expect((await act(id, 'pause')).json().status).toBe('paused');
    expect((await flagOf(key)).active).toBe(false);
    expect((await act(id, 'resume')).json().status).toBe('running');
    expect((await flagOf(key)).active).toBe(true);
  });

  test('end notes when, and what came of it', async () => {
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

  test('ship_variant gives everybody the variant, in one transaction with the end and the log', async () => {
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

  test('variants do not change after the start without a reset', async () => {
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

  test('variants and start in one change', async () => {
    const { id } = await made();
    const answer = await patch(id, { start_date: '2024-01-01', parameters: { feature_flag_variants: variants(40, 40, 20) } });
    expect(answer.json()).toMatchObject({ status: 'running', parameters: { feature_flag_variants: variants(40, 40, 20) } });
    expect(answer.json().feature_flag).toMatchObject({
      active: true,
      filters: { multivariate: { variants: variants(40, 40, 20) } },
    });
  });

  test('dates stay in order', async () => {
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

  test('what runs is not archived', async () => {
    const { id } = await made();
    await act(id, 'launch');
    expect((await patch(id, { archived: true })).json().attr).toBe('archived');
    it.clock.advance(60_000);
    expect((await patch(id, { archived: true, end_date: new Date(it.clock.now()).toISOString() })).json()).toMatchObject({
      archived: true,
    });
    expect((await it.call('GET', `${url}?archived=true`)).json().results).toEqual([expect.objectContaining({ id })]);
  });

  test('duplicate makes a draft, with the same flag or another', async () => {
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

  test('of ten who launch at once one does', async () => {
    const { id, feature_flag_key: key } = await made();
    const answers = await Promise.all(Array.from({ length: 10 }, () => act(id, 'launch')));
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, ...Array.from({ length: 9 }, () => 400)]);
    expect((await flagOf(key)).version).toBe(2);
  });
});

describe('change and delete', () => {
  test('PATCH and PUT change what they name', async () => {
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

  test('deleted by a change, restored by another; DELETE is no method', async () => {
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

  test('lists are narrowed by status, flag and author', async () => {
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

describe('who may', () => {
  test('checks come in order: credentials, scope, project, experiment, rights, body', async () => {
    const { id } = await made();
    const status = async (method: 'GET' | 'POST' | 'PATCH', path: string, own: string | null, body: object = { name: 7 }) =>
      (await it.call(method, path, { key: own, ...(method === 'GET' ? {} : { body }) })).statusCode;
    const read = await makeKey(['experiment:read']);
    const write = await makeKey(['experiment:write']);
    const other = await makeKey(['insight:write']);
    const item = `${url}${id}/`;
    expect(await status('GET', item, null)).toBe(401);
    expect(await status('GET', item, other)).toBe(403);
    expect(await status('GET', item, read)).toBe(200);
    for (const action of ['launch', 'pause', 'resume', 'reset', 'end', 'ship_variant', 'duplicate']) {
      expect([action, await status('POST', `${item}${action}/`, read)]).toEqual([action, 403]);
    }
    expect(await status('PATCH', item, read)).toBe(403);
    expect(await status('PATCH', `/api/projects/999999/experiments/${id}/`, write)).toBe(404);
    expect(await status('PATCH', `${url}999999/`, write, { name: '' })).toBe(404);
    expect(await status('PATCH', `${url}abc/`, write)).toBe(404);
    expect(await status('PATCH', item, write, { name: '' })).toBe(400);
    expect(await status('PATCH', item, write)).toBe(200);
  });

  test('access rules hide experiments, keep viewers from changing them, and hide flags inside them', async () => {
    const cookie = await joined();
    const as = (method: 'GET' | 'POST' | 'PATCH', path: string, body?: object) =>
      it.call(method, path, { key: null, headers: { cookie }, ...(body ? { body } : {}) });
    const rule = async (path: string, access_level: string | null) =>
      expect((await it.call('PUT', `${path}access_controls/`, { body: { access_level } })).statusCode).toBeLessThan(300);
    const { id, feature_flag } = await made({ metrics: [metric] });
    const item = `${url}${id}/`;
    const flag = `/api/projects/${it.projectId}/feature_flags/${feature_flag.id}/`;
    expect((await as('GET', item)).json()).toMatchObject({ user_access_level: 'editor', feature_flag: { id: feature_flag.id } });

    await rule(flag, 'none');
    expect((await as('GET', item)).json()).toMatchObject({ feature_flag: null, feature_flag_key: feature_flag.key });
    await rule(flag, 'viewer');
    // who may change the experiment and not its flag starts nothing that is switched off, and ships nothing
    for (const action of ['launch', 'pause', 'resume', 'ship_variant']) {
      expect([action, (await as('POST', `${item}${action}/`, { variant_key: 'test' })).statusCode]).toEqual([action, 403]);
    }
    expect((await as('PATCH', item, { parameters: { feature_flag_variants: variants(30, 70) } })).statusCode).toBe(403);
    expect((await as('PATCH', item, { start_date: '2024-01-01' })).statusCode).toBe(403);
    expect((await as('PATCH', item, { description: 'Mine too' })).statusCode).toBe(200);
    expect((await as('GET', item)).json().status).toBe('draft');

    await rule(item, 'viewer');
    expect((await as('GET', item)).json().user_access_level).toBe('viewer');
    expect((await as('GET', `${item}results/`)).statusCode).toBe(400);
    for (const action of ['launch', 'pause', 'resume', 'reset', 'end', 'ship_variant']) {
      expect([action, (await as('POST', `${item}${action}/`, {})).statusCode]).toEqual([action, 403]);
    }
    expect((await as('PATCH', item, { name: '' })).statusCode).toBe(403);
    expect((await as('POST', `${item}duplicate/`, {})).statusCode).toBe(201);

    await rule(item, 'none');
    for (const path of ['', 'results/', 'activity/'])
      expect([path, (await as('GET', item + path)).statusCode]).toEqual([path, 403]);
    expect((await as('POST', `${item}duplicate/`, {})).statusCode).toBe(403);
    const seen = (await as('GET', url)).json().results.map((one: { id: number }) => one.id);
    expect(seen.length > 0 && !seen.includes(id)).toBe(true);
  });

  test('nothing of another project is reached', async () => {
    const { id, feature_flag_key: key } = await made({ metrics: [metric] });
    const other = (await it.call('POST', '/api/projects/', { body: { name: 'Other' } })).json();
    const there = `/api/projects/${other.id}/experiments/`;
    expect((await it.call('GET', there)).json().count).toBe(0);
    for (const path of ['', 'results/', 'activity/', 'access_controls/']) {
      expect([path, (await it.call('GET', `${there}${id}/${path}`)).statusCode]).toEqual([path, 404]);
    }
    for (const action of ['launch', 'pause', 'resume', 'reset', 'end', 'ship_variant', 'duplicate']) {
      expect([action, (await it.call('POST', `${there}${id}/${action}/`, { body: {} })).statusCode]).toEqual([action, 404]);
    }
    expect((await it.call('PATCH', `${there}${id}/`, { body: { name: 'x' } })).statusCode).toBe(404);
    // the same key there is another flag
    const twin = await it.call('POST', there, { body: { name: 'Twin', feature_flag_key: key } });
    expect([twin.statusCode, twin.json().feature_flag.active]).toEqual([201, false]);
    expect(twin.json().feature_flag.id).not.toBe((await flagOf(key)).id);
  });
});

/** Logs a new member of the organization in. */
async function joined(): Promise<string> {
  const invite = await it.call('POST', '/api/organizations/@current/invites/', { body: { target_email: 'ann@example.com' } });
  const body = { first_name: 'Ann', password: 'a long and strong passphrase 42' };
  const { cookies } = await it.call('POST', `/api/signup/${invite.json().id}/`, { key: null, body });
  return cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
}

async function makeKey(scopes: string[]): Promise<string> {
  const login = await it.call('POST', '/api/login/', {
    key: null,
    body: { email: 'owner@example.com', password: 'a long and strong passphrase 42' },
  });
  const cookie = login.cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  const answer = await it.call('POST', '/api/personal_api_keys/', {
    key: null,
    headers: { cookie },
    body: { label: 'key', scopes },
  });
  return answer.json().value;
}

const odd = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.string({ unit: 'binary' }),
  fc.constantFrom<unknown>(
    '\0',
    '\ud800',
    1e308,
    -1,
    [[]],
    [{}],
    [metric],
    { a: '\u0000' },
    '2024-01-01',
    '9999-12-31',
    '0001-01-01',
    variants(50, 50),
    'x'.repeat(5000),
  ),
);
const nested = fc.oneof(
  odd,
  fc.dictionary(
    fc.constantFrom(
      'feature_flag_variants',
      'minimum_detectable_effect',
      'rollout_percentage',
      'exposure_config',
      'method',
      'bayesian',
      'event',
      'properties',
    ),
    odd,
  ),
);
const NAMES = [
  'name',
  'description',
  'start_date',
  'end_date',
  'archived',
  'parameters',
  'metrics',
  'metrics_secondary',
  'stats_config',
  'exposure_criteria',
  'holdout',
  'conclusion',
  'variant_key',
  'feature_flag_key',
];

test('no body of any shape makes a fault of ours', async () => {
  const { id } = await made();
  const paths = ['', `${id}/`, `${id}/end/`, `${id}/ship_variant/`, `${id}/duplicate/`];
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...paths), fc.dictionary(fc.constantFrom(...NAMES), nested), async (path, body) => {
      const method = path === `${id}/` ? 'PATCH' : 'POST';
      const whole = path === '' ? { name: 'x', feature_flag_key: newKey(), ...body } : body;
      const answer = await it.call(method, url + path, { body: whole });
      expect([answer.statusCode, answer.body]).toEqual([expect.toSatisfy((status) => status < 500), expect.any(String)]);
      expect((await it.call('GET', `${url}${id}/results/`)).statusCode).toBeLessThan(500);
    }),
    { numRuns: 150 },
  );
}, 60_000);
