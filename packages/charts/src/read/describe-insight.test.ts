import { describe, expect, test } from 'vitest';
import { chartData, describeInsight, type Insight, renderSvg } from '../index.js';

const NOON = { now: Date.parse('2026-11-23T12:00:00Z'), timezone: 'UTC' };
const described = (query: object, results: object[], at = NOON) => describeInsight(query, { results }, at);
const labels = (results: object[]): string[] => {
  const insight = described({ kind: 'TrendsQuery' }, results);
  return insight.kind === 'series' ? insight.series.map(({ label }) => label) : [];
};
const series = (name: string, more: object = {}, action: object = {}) => ({
  label: name,
  action: { name, ...action },
  count: 1,
  data: [1],
  ...more,
});

describe('names', () => {
  test.each([
    [
      [series('$pageview'), series('signed up')],
      ['Page view', 'signed up'],
    ],
    [[series('$unknown')], ['$unknown']],
    [
      [series('$pageview', { compare_label: 'current' }), series('$pageview', { compare_label: 'previous' })],
      ['Page view', 'Page view (previous)'],
    ],
    [
      [series('$pageview', { breakdown_value: 'Safari' }), series('$pageview', { breakdown_value: 'Chrome' })],
      ['Safari', 'Chrome'],
    ],
    [
      [series('$pageview', { breakdown_value: 'Safari' }), series('paid', { breakdown_value: 'Safari' })],
      ['Page view · Safari', 'paid · Safari'],
    ],
    [
      [
        series('$pageview', { breakdown_value: '$direct' }),
        series('$pageview', { breakdown_value: '$$_posthog_breakdown_other_$$' }),
      ],
      ['Direct', 'Other'],
    ],
    [[series('Formula (A * 0.19)')], ['Formula']],
  ])('of %j', (results, expected) => {
    expect(labels(results)).toEqual(expected);
  });

  test('that several series share are followed by what they count', () => {
    const same = [
      series('$pageview', {}, { math: 'total' }),
      series('$pageview', {}, { math: 'dau' }),
      series('$pageview', {}, { math: 'p90', math_property: '$load_time' }),
      series('paid', {}, { math: 'sum', math_property: 'amount' }),
    ];
    expect(labels(same)).toEqual([
      'Page view (total)',
      'Page view (unique people)',
      'Page view (90th percentile of load time)',
      'paid',
    ]);
    expect(labels([series('Formula (A)'), series('Formula (B)')])).toEqual(['Formula 1', 'Formula 2']);
  });

  test('of steps of funnels and paths', () => {
    expect(described({ kind: 'FunnelsQuery' }, [{ name: '$pageview', count: 2 }])).toMatchObject({
      groups: [{ steps: [{ name: 'Page view' }] }],
    });
    const edges = [{ source: '1_$pageview', target: '2_https://example.org/$5', value: 1 }];
    expect(described({ kind: 'PathsQuery' }, edges)).toMatchObject({
      edges: [{ source: '1_Page view', target: '2_https://example.org/$5' }],
    });
  });
});

describe('periods', () => {
  const over = (...days: string[]) => [series('x', { days, labels: days, data: days.map(() => 1) })];
  const query = { kind: 'TrendsQuery' };

  test.each([
    [
      ['2026-11-21', '2026-11-22', '2026-11-23'],
      ['21 Nov 2026', '22 Nov 2026', '23 Nov 2026, so far'],
    ],
    [
      ['2026-11-23 11:00:00', '2026-11-23 12:00:00'],
      ['23 Nov 2026, 11:00', '23 Nov 2026, 12:00, so far'],
    ],
    [
      ['2026-11-15', '2026-11-22'],
      ['15 Nov to 21 Nov 2026', '22 Nov to 28 Nov 2026, so far'],
    ],
    [
      ['2026-10-01', '2026-11-01'],
      ['Oct 2026', 'Nov 2026, so far'],
    ],
  ])('%j that are not over when the numbers are computed say so', (days, labels) => {
    expect(described(query, over(...days))).toMatchObject({ labels, unfinished: 1 });
  });

  test('that are the only one have the length of the query', () => {
    const month = { ...query, interval: 'month' };
    expect(described(month, over('2026-11-01'))).toMatchObject({ labels: ['Nov 2026, so far'], unfinished: 1 });
  });

  test('that were over are whole, by the clock of the project', () => {
    const days = over('2026-11-22', '2026-11-23');
    const at = (now: string, timezone: string) => described(query, days, { now: Date.parse(now), timezone });
    expect(at('2026-11-24T00:30:00Z', 'UTC')).not.toHaveProperty('unfinished');
    expect(at('2026-11-24T00:30:00Z', 'America/New_York')).toMatchObject({ unfinished: 1 });
    expect(at('2026-11-23T23:30:00Z', 'Europe/Berlin')).not.toHaveProperty('unfinished');
  });

  test('that have not begun have no number, and their line ends before them', () => {
    const days = [
      '2026-11-23 10:00:00',
      '2026-11-23 11:00:00',
      '2026-11-23 12:00:00',
      '2026-11-23 13:00:00',
      '2026-11-23 14:00:00',
    ];
    const at = { now: Date.parse('2026-11-23T12:30:00Z'), timezone: 'UTC' };
    const insight = described({ kind: 'TrendsQuery' }, [series('paid', { days, labels: days, data: [4, 6, 2, 0, 0] })], at);
    expect(insight).toMatchObject({ unfinished: 3, upcoming: 2 });
    expect(chartData(insight)?.series[0]?.texts).toEqual(['4', '6', '2']);
    const svg = renderSvg(insight, { width: 600, height: 300, theme: 'light' });
    // the line of what is over, and the dashed one to the hour that goes on
    const lines = [...svg.matchAll(/ d="(M[^"]*L[^"]*)"[^>]*stroke-width="2"/g)].map(([, d]) => d?.split('L').length);
    expect(lines).toEqual([2, 2]);
  });

  test('of retention end with one that is not over', () => {
    const cohorts = ['2026-11-21', '2026-11-22', '2026-11-23'].map((date, i) => ({
      date: `${date}T00:00:00Z`,
      values: Array.from({ length: 3 - i }, () => ({ count: 1 })),
    }));
    const retention = { kind: 'RetentionQuery', retentionFilter: { period: 'Day' } };
    expect(described(retention, cohorts)).toMatchObject({ isLastUnfinished: true });
    expect(described(retention, cohorts.slice(0, 2))).not.toHaveProperty('isLastUnfinished');
  });

  test('of stickiness are none', () => {
    const results = [series('x', { days: [1, 2], labels: ['1 day', '2 days'], data: [4, 1] })];
    expect(described({ kind: 'StickinessQuery' }, results)).toMatchObject({ labels: ['1 day', '2 days'] });
  });
});

test('countries have names in funnels and retention too, and other breakdowns stay', () => {
  const computed = { now: Date.parse('2026-05-03T12:00:00Z'), timezone: 'UTC' };
  const funnel = (breakdown: string) =>
    describeInsight(
      { kind: 'FunnelsQuery', breakdownFilter: { breakdown, breakdown_type: 'event' } },
      { results: [[{ name: 'a', count: 3, breakdown_value: ['DE'] }], [{ name: 'a', count: 1, breakdown_value: ['Other'] }]] },
      computed,
    );
  const groupsOf = (insight: Insight) => (insight.kind === 'funnel' ? insight.groups.map(({ breakdown }) => breakdown) : []);
  expect(groupsOf(funnel('$geoip_country_code'))).toEqual(['Germany', 'Other']);
  expect(groupsOf(funnel('language'))).toEqual(['DE', 'Other']);
  const retention = describeInsight(
    { kind: 'RetentionQuery', breakdownFilter: { breakdowns: [{ property: '$geoip_country_code' }] } },
    { results: [{ date: '2026-05-01T00:00:00Z', label: 'Day 0', values: [{ count: 2 }], breakdown_value: 'FR' }] },
    computed,
  );
  expect(retention).toMatchObject({ cohorts: [{ breakdown: 'France' }] });
});
