import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  DAY,
  type ExposedPerson,
  group,
  HOUR,
  paid,
  START,
  experiment as startExperiment,
  put as storeEvents,
} from '../../testing/experiments.js';
import { startTestService, type TestService } from '../../testing/service.js';

let it: TestService;
beforeAll(async () => {
  it = await startTestService();
});
afterAll(() => it.close());

const experiment = (people: readonly ExposedPerson[], fields: object, dates: object = {}) =>
  startExperiment(it, people, fields, dates);
const FUNNEL = { metric_type: 'funnel', series: [{ kind: 'EventsNode', event: 'paid' }] };

test('exposure_criteria.filterTestAccounts excludes the persons and events of test accounts', async () => {
  const ofTests = [{ key: '$feature_flag_response', value: 'test', operator: 'is_not', type: 'event' }];
  const { results, url, project } = await experiment([...group('control', 3, paid(3)), ...group('test', 5, paid(1))], {
    metrics: [FUNNEL],
  });
  await it.call('PATCH', `/api/projects/${project.id}/`, { body: { test_account_filters: ofTests } });
  const totals = async () => (await results()).json().exposures.variants;
  const before = await totals();
  await it.call('PATCH', url, { body: { exposure_criteria: { filterTestAccounts: true } } });
  const after = await totals();
  expect([before, after]).toEqual([
    { control: 3, test: 5 },
    { control: 3, test: 0 },
  ]);
});

describe('published worked examples, through the API', () => {
  test('funnel: p-value of the two-proportion z test (OpenStax Introductory Statistics, example 10.8: 0.1404)', async () => {
    const { results } = await experiment([...group('control', 200, paid(12)), ...group('test', 200, paid(20))], {
      metrics: [FUNNEL],
    });
    const answer = await results();
    expect([answer.statusCode, answer.body]).toEqual([200, expect.any(String)]);
    const { exposures, metrics, ...about } = answer.json();
    expect(about).toMatchObject({
      status: 'complete',
      date_from: '2024-05-01T00:00:00Z',
      date_to: '2024-05-11T00:00:00Z',
      baseline: 'control',
      method: 'bayesian',
      confidence_level: 0.95,
      multiple_variant_handling: 'exclude',
      metrics_secondary: [],
    });
    expect(exposures).toMatchObject({ total: 400, variants: { control: 200, test: 200 }, multiple: 0 });
    expect(exposures.sample_ratio).toEqual({ expected: { control: 200, test: 200 }, p_value: 1, mismatch: false });
    const [control, variant] = metrics[0].variants;
    expect(control).toMatchObject({
      key: 'control',
      is_baseline: true,
      exposures: 200,
      samples: 12,
      value: 0.06,
      step_counts: [200, 12],
      comparison: null,
    });
    expect(variant).toMatchObject({ key: 'test', samples: 20, value: 0.1, step_counts: [200, 20] });
    const { p_value: pValue, difference, delta, significant, enough_data: enough } = variant.comparison;
    expect([pValue.toFixed(4), difference.toFixed(4), delta.toFixed(4), significant, enough]).toEqual([
      '0.1404',
      '0.0400',
      '0.6667',
      false,
      true,
    ]);
  });

  test('funnel: chance to win (cprior, tests/test_beta.py: 0.70889192)', async () => {
    const { results } = await experiment([...group('control', 58, paid(9)), ...group('test', 308, paid(59))], {
      metrics: [FUNNEL],
    });
    const [metric] = (await results()).json().metrics;
    expect(metric.variants[1].comparison.chance_to_win.toFixed(8)).toBe('0.70889192');
    // beyond doubt no even split
    expect((await results()).json().exposures.sample_ratio.mismatch).toBe(true);
  });

  test("mean: Welch's t test (Student's sleep data as in R's manual: p-value = 0.07939, interval -0.2054832 to 3.3654832)", async () => {
    const slept = (hours: readonly number[]) => (index: number) => [{ event: 'slept', properties: { extra: hours[index] ?? 0 } }];
    const { results } = await experiment(
      [
        ...group('control', 10, slept([0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0, 2])),
        ...group('test', 10, slept([1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4])),
      ],
      {
        metrics: [{ metric_type: 'mean', source: { event: 'slept', math: 'sum', math_property: 'extra' } }],
        stats_config: { method: 'frequentist' },
      },
    );
    const [metric] = (await results()).json().metrics;
    const { p_value: pValue, difference_interval: interval, significant, enough_data: enough } = metric.variants[1].comparison;
    expect(pValue.toFixed(5)).toBe('0.07939');
    expect(interval.map((bound: number) => bound.toFixed(7))).toEqual(['-0.2054832', '3.3654832']);
    expect([metric.variants[0].value, metric.variants[1].value]).toEqual([expect.closeTo(0.75, 10), expect.closeTo(2.33, 10)]);
    // twenty persons are too few to call anything significant
    expect([significant, enough]).toEqual([null, false]);
  });

  test('running time: R prints n = 1093.739 a group for 0.2 and 0.25', async () => {
    const { results } = await experiment(
      [...group('control', 50, paid(10)), ...group('test', 50, paid(10))],
      {
        metrics: [FUNNEL],
        parameters: { minimum_detectable_effect: 25 },
      },
      { end_date: new Date(START + 2 * DAY).toISOString() },
    );
    const [metric] = (await results()).json().metrics;
    expect(metric.running_time).toEqual({
      minimum_detectable_effect: 25,
      recommended_sample_size: 2 * 1094,
      exposures_per_day: 50,
      recommended_days: 2188 / 50,
      remaining_days: 2088 / 50,
    });
    const plan = await it.call('POST', `/api/projects/${it.projectId}/experiments/running_time/`, {
      body: { metric_type: 'funnel', baseline: 0.2, minimum_detectable_effect: 25, exposures_per_day: 50 },
    });
    expect(plan.json()).toMatchObject({ recommended_sample_size: 2188, recommended_days: 2188 / 50 });
  });
});

test('mean, funnel and ratio over exposures from $feature_flag_called: exposures, value, delta, interval, chance to win and p-value of each variant', async () => {
  const did = (every: number) => (index: number) => [{ event: 'view' }, ...(index % every === 0 ? [{ event: 'paid' }] : [])];
  const { results } = await experiment([...group('control', 120, did(4)), ...group('test', 120, did(2))], {
    metrics: [
      { metric_type: 'mean', source: { event: 'paid' } },
      { metric_type: 'funnel', series: [{ event: 'view' }, { event: 'paid' }] },
      { metric_type: 'ratio', numerator: { event: 'paid' }, denominator: { event: 'view' } },
    ],
  });
  for (const { metric_type: type, variants } of (await results()).json().metrics) {
    expect(variants).toMatchObject([
      { key: 'control', exposures: 120, value: 0.25, comparison: null },
      {
        key: 'test',
        exposures: 120,
        value: 0.5,
        comparison: {
          difference: 0.25,
          difference_interval: [expect.closeTo(0.1315, 1), expect.closeTo(0.3685, 1)],
          delta: 1,
          delta_interval: [expect.any(Number), expect.any(Number)],
          chance_to_win: expect.closeTo(1, 4),
          p_value: expect.closeTo(0, 3),
          significant: true,
          enough_data: true,
        },
      },
    ]);
    const [low, high] = variants[1].comparison.delta_interval;
    expect([type, low > 0.3, low < 1, high > 1, high < 2.5]).toEqual([type, true, true, true, true]);
  }
});

describe('the persons and events that count', () => {
  test('persons count by their first exposure; persons exposed to several variants are excluded, or count for the first', async () => {
    const people = [...group('control', 3), ...group('test', 2)];
    const { url, row, results } = await experiment(people, { metrics: [FUNNEL] });
    await storeEvents(it, [
      row(0, START + DAY, '$feature_flag_called', { $feature_flag: 'flag', $feature_flag_response: 'test' }),
    ]);
    expect((await results()).json().exposures).toMatchObject({ total: 4, variants: { control: 2, test: 2 }, multiple: 1 });
    await it.call('PATCH', url, { body: { exposure_criteria: { multiple_variant_handling: 'first_seen' } } });
    expect((await results()).json()).toMatchObject({
      multiple_variant_handling: 'first_seen',
      exposures: { total: 5, variants: { control: 3, test: 2 }, multiple: 0 },
      metrics: [{ variants: [{ exposures: 3 }, { exposures: 2 }] }],
    });
  });

  test('events count between the exposure and the end, within the conversion window', async () => {
    const wait = (hours: number) => (index: number) =>
      Array.from({ length: hours }, (_, hour) => ({ event: hour === hours - 1 && index === 0 ? 'paid' : 'waited' }));
    const total = { metric_type: 'mean', source: { event: 'paid' } };
    const { row, results } = await experiment([...group('control', 1, wait(5)), ...group('test', 1, wait(6))], {
      metrics: [
        total,
        { ...total, conversion_window: 5, conversion_window_unit: 'hour' },
        { ...total, conversion_window: 6, conversion_window_unit: 'hour' },
      ],
    });
    // before exposure and after the end
    await storeEvents(it, [
      row(0, START - HOUR, 'paid', {}),
      row(1, START + 10 * DAY, 'paid', {}),
      row(9, START + HOUR, 'paid', {}),
    ]);
    const sums = (await results())
      .json()
      .metrics.map(({ variants }: { variants: { sum: number }[] }) => variants.map(({ sum }) => sum));
    expect(sums).toEqual([
      [1, 1],
      [0, 0],
      [1, 0],
    ]);
  });

  test('another event can be the exposure, with the variant in $feature/<flag>', async () => {
    const { row, results } = await experiment(group('control', 2), {
      exposure_criteria: { exposure_config: { event: 'checkout seen' } },
    });
    await storeEvents(it, [
      row(5, START, 'checkout seen', { '$feature/flag': 'test' }),
      row(6, START, 'checkout seen', { '$feature/flag': 'odd' }),
    ]);
    expect((await results()).json().exposures).toMatchObject({ total: 1, variants: { control: 0, test: 1 } });
  });

  test('an action can be the exposure and the event of a metric', async () => {
    const { url, row, results, project } = await experiment([], {});
    await storeEvents(it, [
      row(1, START, 'checkout seen', { '$feature/flag': 'control' }),
      row(2, START, 'checkout seen', { '$feature/flag': 'test' }),
      row(2, START + HOUR, 'paid', { amount: 5 }),
      row(2, START + HOUR, 'paid', { amount: 1 }),
    ]);
    const action = async (steps: object[]) =>
      (await it.call('POST', `/api/projects/${project.id}/actions/`, { body: { steps } })).json().id;
    const [seen, paidMuch] = [
      await action([{ event: 'checkout seen' }]),
      await action([{ event: 'paid', properties: [{ type: 'event', key: 'amount', operator: 'gt', value: 3 }] }]),
    ];
    const source = { kind: 'ActionsNode', id: paidMuch };
    const change = (exposure_config: object, id: unknown = paidMuch) =>
      it.call('PATCH', url, {
        body: {
          exposure_criteria: { exposure_config },
          metrics: [
            { metric_type: 'mean', source: { ...source, id } },
            { metric_type: 'funnel', series: [{ ...source, id }] },
          ],
        },
      });
    const found = async () => {
      const { exposures, metrics } = (await results()).json();
      return [
        exposures.variants,
        ...metrics.map(
          ({ variants, error }: { variants: { sum: number }[]; error: string }) => error ?? variants.map(({ sum }) => sum),
        ),
      ];
    };
    expect((await change({ kind: 'ActionsNode', id: seen })).statusCode).toBe(200);
    const expected = [{ control: 1, test: 1 }, [0, 1], [0, 1]];
    expect(await found()).toEqual(expected);
    await change({ kind: 'ExperimentEventExposureConfig', event: 'checkout seen', properties: [] });
    expect(await found()).toEqual(expected);
    await change({ event: 'checkout seen' }, 2_000_000_000);
    expect(await found()).toEqual([{ control: 1, test: 1 }, ...Array(2).fill('There is no action 2000000000.')]);
    expect((await change({ kind: 'ActionsNode' })).json().attr).toBe('exposure_criteria__exposure_config__id');
  });

  test('merged persons count as one', async () => {
    const { url, project } = await experiment([], { metrics: [{ metric_type: 'mean', source: { event: 'paid' } }] });
    const at = (hours: number) => new Date(START + hours * HOUR).toISOString();
    const send = async (event: string, distinct_id: string, hours: number, properties: object = {}) => {
      const body = { api_key: project.api_token, batch: [{ event, distinct_id, timestamp: at(hours), properties }] };
      expect((await it.call('POST', '/batch/', { key: null, body })).statusCode).toBe(200);
    };
    const called = { $feature_flag: 'flag', $feature_flag_response: 'test' };
    await send('$feature_flag_called', 'visitor-1', 1, called);
    await send('$identify', 'ann@example.com', 2, { $anon_distinct_id: 'visitor-1' });
    await send('paid', 'ann@example.com', 3);
    await send('paid', 'visitor-1', 4);
    await send('$feature_flag_called', 'ann@example.com', 5, called);
    const { exposures, metrics } = (await it.call('GET', `${url}results/`)).json();
    expect(exposures).toMatchObject({ total: 1, variants: { test: 1 } });
    expect(metrics[0].variants[1]).toMatchObject({ exposures: 1, samples: 1, sum: 2 });
  });

  test('the sample ratio is not tested when a condition of the flag names a variant', async () => {
    const { url, results } = await experiment([...group('control', 90), ...group('test', 10)], {});
    expect((await results()).json().exposures.sample_ratio).toMatchObject({
      expected: { control: 50, test: 50 },
      mismatch: true,
    });
    const flag = (await it.call('GET', url)).json().feature_flag;
    const filters = { ...flag.filters, groups: [{ properties: [], rollout_percentage: 100, variant: 'control' }] };
    const changed = await it.call('PATCH', url.replace(/experiments.*/, `feature_flags/${flag.id}/`), { body: { filters } });
    expect(changed.statusCode).toBe(200);
    expect((await results()).json().exposures.sample_ratio).toBeNull();
  });
});
