import type { Insight } from './insight.js';
import { describeInsight } from './read/describe-insight.js';
import { NOW, namesOf, type State, scaled } from './specimen-data.js';

/** A variant whose change is about a fifth, up or down. */
function variantOf(state: State, key: string, i: number): object {
  const sign = state === 'negative' ? -1 : 1;
  const delta = sign * (state === 'tiny' ? 1e-4 : state === 'huge' ? 90 : 1) * (i % 2 === 0 ? 0.24 / (i + 1) : -0.12);
  const isFew = state === 'long names' && i === 1;
  return {
    key,
    is_baseline: false,
    exposures: 900 + i,
    samples: 160 + i,
    value: Math.abs(scaled(state, 0.142 * (1 + delta))),
    comparison: {
      delta,
      delta_interval: [delta - 0.2, delta + 0.1 + i * 0.05],
      chance_to_win: i % 2 === 0 ? 0.987 : 0.12,
      enough_data: !isFew,
    },
  };
}

const control = (state: State) => ({
  key: 'control',
  is_baseline: true,
  exposures: 1_597,
  samples: 227,
  value: Math.abs(scaled(state, 0.142)),
  comparison: null,
});

const resultsOf = (state: State, metrics: object[]) => ({
  results: {
    status: 'running',
    baseline: 'control',
    method: 'bayesian',
    confidence_level: 0.95,
    exposures: {
      total: state === 'empty' ? 0 : 3_193,
      sample_ratio: { mismatch: state === 'one point', expected: { control: 900 } },
    },
    metrics,
    metrics_secondary: [],
  },
});

/** The variants of an experiment by one metric. */
export function experiment(state: State): Insight {
  const keys = state === 'one point' ? ['test'] : namesOf(state).slice(0, 9);
  const metric = {
    metric_type: 'funnel',
    goal: 'increase',
    variants: [control(state), ...keys.map((key, i) => variantOf(state, key, i))],
  };
  return describeInsight({ kind: 'ExperimentQuery' }, resultsOf(state, [metric]), NOW);
}

/** The guards of an experiment, with two variants in the state of long names. */
export function severalMetrics(state: State): Insight {
  const names = state === 'one point' ? ['Refunds'] : namesOf(state).slice(0, 6);
  const keys = state === 'long names' ? ['one-page', 'express'] : ['test'];
  const metrics = names.map((name, i) => ({
    uuid: String(i),
    name,
    metric_type: i % 2 === 0 ? 'funnel' : 'mean',
    goal: i % 2 === 0 ? 'decrease' : 'increase',
    variants: [control(state), ...keys.map((key, k) => variantOf(state, key, i + k))],
  }));
  const query = { kind: 'ExperimentQuery', metric_uuids: metrics.map(({ uuid }) => uuid) };
  return describeInsight(query, resultsOf(state, metrics), NOW);
}
