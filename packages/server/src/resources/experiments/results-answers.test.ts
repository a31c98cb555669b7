import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ExposedPerson, group, paid, experiment as startExperiment } from '../../testing/experiments.js';
import { startTestService, type TestService } from '../../testing/service.js';

let it: TestService;
beforeAll(async () => {
  it = await startTestService();
});
afterAll(() => it.close());

const experiment = (people: readonly ExposedPerson[], fields: object, dates: object = {}) =>
  startExperiment(it, people, fields, dates);
const FUNNEL = { metric_type: 'funnel', series: [{ kind: 'EventsNode', event: 'paid' }] };

describe('goals', () => {
  test('the lower variant wins when the goal is a decrease', async () => {
    const people = [...group('control', 100, paid(50)), ...group('test', 100, paid(20))];
    const { results } = await experiment(people, { metrics: [FUNNEL, { ...FUNNEL, goal: 'decrease' }] });
    const [up, down] = (await results())
      .json()
      .metrics.map(({ variants }: { variants: { comparison: object }[] }) => variants[1]?.comparison);
    expect(up).toMatchObject({ chance_to_win: expect.closeTo(0, 4), significant: true });
    expect(down).toMatchObject({ chance_to_win: expect.closeTo(1, 4), significant: true, p_value: up.p_value });
  });
});

describe('responses with results', () => {
  test('a draft has no results; an experiment without exposures has empty ones', async () => {
    const { url, results } = await experiment([], { metrics: [FUNNEL, { metric_type: 'mean', source: {} }] });
    const { exposures, metrics } = (await results()).json();
    expect(exposures).toEqual({
      total: 0,
      variants: { control: 0, test: 0 },
      multiple: 0,
      daily: [
        { variant: 'control', days: [], counts: [] },
        { variant: 'test', days: [], counts: [] },
      ],
      sample_ratio: null,
    });
    expect(metrics[0].variants[1]).toMatchObject({
      exposures: 0,
      value: null,
      comparison: { p_value: null, significant: null, enough_data: false },
    });
    await it.call('POST', `${url}reset/`, { body: {} });
    expect((await results()).json()).toMatchObject({
      code: 'invalid_input',
      detail: 'This experiment has not started: there are no results yet.',
    });
  });

  test('the query parameter metric selects one metric by its uuid', async () => {
    const { url, results } = await experiment(group('control', 1), {
      metrics: [FUNNEL],
      metrics_secondary: [{ ...FUNNEL, name: 'Second' }],
    });
    const { metrics_secondary: secondary } = (await it.call('GET', url)).json();
    expect((await results(`?metric=${secondary[0].uuid}`)).json()).toMatchObject({
      metrics: [],
      metrics_secondary: [{ name: 'Second', uuid: secondary[0].uuid }],
    });
    expect((await results('?metric=00000000-0000-4000-8000-000000000000')).statusCode).toBe(404);
  });

  test('a metric that cannot be computed has an error, and the others still have results', async () => {
    const lost = { ...FUNNEL, series: [{ event: 'paid', properties: [{ type: 'cohort', key: 'id', value: 999_999 }] }] };
    const { results } = await experiment(group('control', 1), { metrics: [lost, FUNNEL] });
    const [broken, sound] = (await results()).json().metrics;
    expect(broken).toMatchObject({ error: 'There is no cohort 999999.', variants: [], running_time: null });
    expect(sound).toMatchObject({ error: null, variants: [{ exposures: 1 }, { exposures: 0 }] });
  });

  test('shipping a variant does not change the results', async () => {
    const { url, results } = await experiment([...group('control', 60, paid(10)), ...group('test', 60, paid(30))], {
      metrics: [FUNNEL],
    });
    const before = (await results()).json();
    expect((await it.call('POST', `${url}ship_variant/`, { body: { variant_key: 'test' } })).statusCode).toBe(200);
    expect((await results()).json()).toEqual(before);
  });

  test('sums that overflow are null', async () => {
    const huge = () => [{ event: 'paid', properties: { amount: 1e300 } }];
    const { results } = await experiment([...group('control', 3, huge), ...group('test', 3, huge)], {
      metrics: [{ metric_type: 'mean', source: { event: 'paid', math: 'sum', math_property: 'amount' } }],
    });
    const [metric] = (await results()).json().metrics;
    expect(metric.variants[1]).toMatchObject({ value: 1e300, comparison: { p_value: null, chance_to_win: null } });
  });
});
