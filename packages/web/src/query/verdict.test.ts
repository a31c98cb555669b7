import { expect, test } from 'vitest';
import { changeText, type VerdictMetric, type VerdictResults, verdictOf } from './verdict.js';

const metric = (change: Partial<VerdictMetric>, comparison: object | null, exposures = 500): VerdictMetric => ({
  uuid: 'm',
  name: 'Purchases',
  metric_type: 'funnel',
  goal: 'increase',
  error: null,
  variants: [
    { key: 'control', is_baseline: true, exposures, value: 0.2, comparison: null },
    {
      key: 'test',
      is_baseline: false,
      exposures,
      value: 0.25,
      comparison: comparison && {
        delta: 0.24,
        delta_interval: [0.027, 0.443],
        difference_interval: [0.01, 0.09],
        chance_to_win: 0.987,
        p_value: 0.02,
        significant: true,
        enough_data: true,
        ...comparison,
      },
    },
  ],
  ...change,
});

const results = (change: Partial<VerdictResults>): VerdictResults => ({
  baseline: 'control',
  method: 'bayesian',
  confidence_level: 0.95,
  exposures: { total: 1_000, sample_ratio: { mismatch: false } },
  metrics: [metric({}, {})],
  metrics_secondary: [],
  ...change,
});

const NO_GUARDS = new Set<string>();

test('a significant gain is very likely better, with its certainty and interval', () => {
  expect(verdictOf(results({}), NO_GUARDS)).toEqual({
    kind: 'good',
    text: '“test” is very likely better: +24% on Purchases',
    reasons: ['98.7% sure that “test” beats control. The change lies between +2.7% and +44% (95% interval).'],
    variant: 'test',
  });
});

test('with a p-value the interval is of the difference, in percent of the baseline', () => {
  const { reasons } = verdictOf(results({ method: 'frequentist' }), NO_GUARDS);
  expect(reasons).toEqual(['p-value of “test” against control: 0.020. The change lies between +5% and +45% (95% interval).']);
});

test('less is better turns the verdict around', () => {
  expect(verdictOf(results({ metrics: [metric({ goal: 'decrease' }, {})] }), NO_GUARDS)).toMatchObject({
    kind: 'bad',
    text: '“test” is very likely worse: +24% on Purchases',
  });
});

test('no verdict without people, without enough of them, without significance, and with an uneven split', () => {
  const textOf = (change: Partial<VerdictResults>) => verdictOf(results(change), NO_GUARDS).text;
  expect(textOf({ exposures: { total: 0, sample_ratio: null } })).toBe('Nobody was exposed yet');
  expect(textOf({ exposures: { total: 9, sample_ratio: { mismatch: true } } })).toMatch(/^Uneven split/);
  expect(textOf({ metrics: [metric({}, { enough_data: false, significant: null })] })).toBe('Not enough data yet');
  expect(textOf({ metrics: [metric({}, { significant: false })] })).toBe('No clear difference on Purchases');
  expect(textOf({ metrics: [] })).toBe('No metric yet');
  expect(textOf({ metrics: [metric({ error: 'There is no such property.' }, null)] })).toBe('Purchases cannot be computed');
});

test('a guard metric that got worse is a reason, and never the verdict', () => {
  const guard = metric({ uuid: 'g', name: 'Refunds', goal: 'decrease' }, {});
  const both = results({ metrics_secondary: [guard] });
  expect(verdictOf(both, new Set(['g'])).reasons.at(-1)).toBe('Refunds got worse with “test”: +24%.');
  const calm = results({ metrics_secondary: [metric({ uuid: 'g' }, { significant: false })] });
  expect(verdictOf(calm, new Set(['g'])).reasons.at(-1)).toBe('Nothing that must not get worse did.');
  expect(verdictOf(results({ metrics: [], metrics_secondary: [guard] }), new Set(['g'])).text).toBe('No metric yet');
});

test('changes are written with a sign, and with a digit below ten percent', () => {
  expect([0.24, -0.027, 0.1, 0, null].map(changeText)).toEqual(['+24%', '−2.7%', '+10%', '+0%', 'no change in percent']);
});
