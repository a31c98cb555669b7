import { readInsight } from '@tidemark/charts';
import { expect, test } from 'vitest';
import { readableInsight } from './readable-insight.js';

const labels = (results: object[]): string[] => {
  const insight = readableInsight(readInsight({ kind: 'TrendsQuery' }, { results }));
  return insight.kind === 'series' ? insight.series.map(({ label }) => label) : [];
};
const series = (name: string, more: object = {}) => ({ label: name, action: { name }, count: 1, data: [1], ...more });

test.each([
  [
    [series('$pageview'), series('signed up')],
    ['Page view', 'signed up'],
  ],
  [[series('$unknown')], ['$unknown']],
  [[series('$pageview', { compare_label: 'previous' })], ['Page view (previous)']],
  [
    [series('$pageview', { breakdown_value: 'Safari' }), series('$pageview', { breakdown_value: 'Chrome' })],
    ['Safari', 'Chrome'],
  ],
  [
    [series('$pageview', { breakdown_value: 'Safari' }), series('paid', { breakdown_value: 'Safari' })],
    ['Page view · Safari', 'paid · Safari'],
  ],
  [[series('Formula (A * 0.19)')], ['Formula']],
])('%j', (results, expected) => {
  expect(labels(results)).toEqual(expected);
});

test('steps of funnels and paths, too', () => {
  const steps = [{ name: '$pageview', count: 2 }];
  expect(readableInsight(readInsight({ kind: 'FunnelsQuery' }, { results: steps }))).toMatchObject({
    groups: [{ steps: [{ name: 'Page view' }] }],
  });
  const edges = [{ source: '1_$pageview', target: '2_https://example.org/$5', value: 1 }];
  expect(readableInsight(readInsight({ kind: 'PathsQuery' }, { results: edges }))).toMatchObject({
    edges: [{ source: '1_Page view', target: '2_https://example.org/$5' }],
  });
});
