import { expect, test } from 'vitest';
import { chartSummary, describeInsight, renderSvg } from './index.js';
import { KINDS, STATES } from './specimen.js';

const NOON = { now: Date.parse('2026-11-23T12:00:00Z'), timezone: 'UTC' };
const summaryOf = (query: object, results: unknown) => chartSummary(describeInsight(query, { results }, NOON));
const line = (name: string, count: number) => ({
  label: name,
  action: { name },
  data: [count, 0],
  count,
  days: ['2026-11-22', '2026-11-23'],
  labels: ['2026-11-22', '2026-11-23'],
});

test.each([
  [
    { kind: 'TrendsQuery' },
    ['a', 'b', 'c', 'd'].map((name, i) => line(name, 10 * (i + 1))),
    '2 points from 22 Nov 2026 to 23 Nov 2026, the last of which is not over. 4 series: d 40; c 30; b 20; and 1 more value.',
  ],
  [{ kind: 'TrendsQuery', trendsFilter: { display: 'ActionsPie' } }, [line('a', 1), line('b', 2)], '2 series: b 2; a 1.'],
  [{ kind: 'TrendsQuery', trendsFilter: { display: 'BoldNumber' } }, [line('a', 1_284)], '1,284.'],
  [
    { kind: 'FunnelsQuery' },
    [
      { name: 'a', count: 3_876 },
      { name: 'b', count: 193 },
    ],
    '2 steps: of 3,876 people 193 took the last, 5.0%.',
  ],
  [{ kind: 'PathsQuery' }, [{ source: '1_/', target: '2_/docs', value: 7 }], '1 flow, the largest from / to /docs: 7.'],
  [
    { kind: 'RetentionQuery', retentionFilter: { period: 'Week' } },
    [[8, 4], [2]].map((counts, i) => ({ date: `2026-11-0${1 + 7 * i}T00:00:00Z`, values: counts.map((count) => ({ count })) })),
    '2 cohorts. Came back in week 1: 50.0%.',
  ],
  [{ kind: 'TrendsQuery' }, [], 'No events in this period. Nothing matched its events and filters.'],
])('%j is summed up in words', (query, results, expected) => {
  expect(summaryOf(query, results)).toBe(expected);
});

test('every chart of the specimen has a summary without holes, and its picture is named by it', () => {
  for (const insightOf of Object.values(KINDS)) {
    for (const state of STATES) {
      const summary = chartSummary(insightOf(state));
      expect(summary).toMatch(/^\S.*[.]$/s);
      expect(summary).not.toMatch(/undefined|NaN|null/);
    }
  }
  const named = renderSvg(describeInsight({ kind: 'TrendsQuery' }, { results: [line('<a>', 3)] }, NOON), {
    width: 300,
    height: 200,
    label: 'of <a> & "b"',
  });
  expect(named).toContain(' role="img" aria-label="of &lt;a&gt; &amp; &quot;b&quot;"');
});
