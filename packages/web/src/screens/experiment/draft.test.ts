import { expect, test } from 'vitest';
import type { Experiment } from '../../data/experiments.js';
import { draftOf, faultsOf, fieldsOf, hasFaults, keyOfName } from './draft.js';

const METRICS = [
  {
    uuid: 'a',
    metric_type: 'funnel',
    name: 'Paid',
    series: [{ kind: 'EventsNode', event: 'paid', properties: [{ type: 'event', key: 'plan', value: ['pro'] }] }],
    conversion_window: 7,
    conversion_window_unit: 'day',
  },
  { uuid: 'b', metric_type: 'mean', source: { kind: 'EventsNode', event: 'paid', math: 'sum', math_property: 'amount' } },
];
const SECONDARY = [
  {
    uuid: 'c',
    metric_type: 'ratio',
    goal: 'decrease',
    is_guard: true,
    numerator: { kind: 'ActionsNode', id: 3, name: 'Failed' },
    denominator: { kind: 'EventsNode', event: '$pageview' },
  },
];
const STORED = {
  id: 1,
  name: 'Checkout',
  description: '',
  status: 'draft',
  feature_flag_key: 'checkout',
  parameters: {
    feature_flag_variants: [
      { key: 'control', name: 'As now', rollout_percentage: 50 },
      { key: 'test', rollout_percentage: 50 },
    ],
    minimum_detectable_effect: 20,
    other: 'stays',
  },
  metrics: METRICS,
  metrics_secondary: SECONDARY,
  stats_config: { method: 'frequentist', frequentist: { alpha: 0.01 } },
  exposure_criteria: { exposure_config: { event: 'seen' }, multiple_variant_handling: 'first_seen', filterTestAccounts: false },
} as unknown as Experiment;

test('a stored draft is read unchanged', () => {
  const fields = fieldsOf(draftOf(STORED), STORED);
  expect(fields).toEqual({
    name: 'Checkout',
    description: '',
    parameters: STORED.parameters,
    metrics: METRICS,
    metrics_secondary: SECONDARY,
    stats_config: STORED.stats_config,
    exposure_criteria: STORED.exposure_criteria,
  });
});

test('variants are sent for a new flag and before the start, and never for a flag that exists or after the start', () => {
  const fresh = { ...draftOf(null), name: 'New', flagKey: 'new' };
  expect(fieldsOf(fresh, null).parameters).toHaveProperty('feature_flag_variants');
  expect(fieldsOf({ ...fresh, isExistingFlag: true }, null).parameters).not.toHaveProperty('feature_flag_variants');
  const running = { ...STORED, status: 'running' } as Experiment;
  expect(fieldsOf(draftOf(running), running).parameters).not.toHaveProperty('feature_flag_variants');
});

test('what the service would refuse is a fault', () => {
  const good = draftOf(STORED);
  expect(hasFaults(faultsOf(good))).toBe(false);
  expect(faultsOf({ ...good, name: ' ' }).name).not.toBeNull();
  expect(faultsOf({ ...good, variants: good.variants.slice(0, 1) }).split).toMatch(/Two variants/);
  expect(faultsOf({ ...good, variants: good.variants.map((one) => ({ ...one, percentage: 40 })) }).split).toMatch(/80%/);
  const [first] = good.metrics;
  const incomplete = first && { ...first, type: 'mean' as const, events: first.events.map((one) => ({ ...one, math: 'sum' })) };
  expect(faultsOf({ ...good, metrics: incomplete ? [incomplete] : [] }).metrics.get(0)).toMatch(/property/);
});

test('a key is made of a name', () => {
  expect(keyOfName('Checkout on one page!')).toBe('checkout-on-one-page');
  expect(keyOfName('Über  uns')).toBe('u-ber-uns');
});
