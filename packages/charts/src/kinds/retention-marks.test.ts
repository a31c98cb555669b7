import { describe, expect, test } from 'vitest';
import type { Insight } from '../insight.js';
import { readInsight } from '../read/read-insight.js';
import { renderSvg } from '../render-svg.js';
import { shownTable } from '../shown-table.js';
import { contrast, THEMES } from '../theme/theme.js';

const svgOf = (insight: Insight, width = 600) => renderSvg(insight, { width, height: 400 });
const textsOf = (insight: Insight, width?: number) =>
  [...svgOf(insight, width).matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text);
const titlesOf = (insight: Insight) => [...svgOf(insight, 800).matchAll(/<title>([^<]*)/g)].map(([, title]) => title);

describe('retention', () => {
  const cohort = (breakdown_value: unknown, ...counts: number[]) => ({
    date: '2026-05-01T00:00:00Z',
    values: counts.map((count) => ({ count })),
    breakdown_value,
  });
  const read = (...results: object[]) =>
    readInsight({ kind: 'RetentionQuery', retentionFilter: { period: 'Week' } }, { results });

  test('begins with the mean of the weeks that are over, and stars those that are not', () => {
    const results = [cohort(null, 10, 4, 2), cohort(null, 30, 6, 0), cohort(null, 20, 0, 0)];
    const query = { kind: 'RetentionQuery', retentionFilter: { period: 'Week' } };
    const after = (days: number) => readInsight(query, { results }, Date.UTC(2026, 4, 1 + days));
    expect(textsOf(after(7)).join()).not.toContain('*');
    const texts = textsOf(after(6));
    expect(texts.slice(0, 9)).toEqual(['Cohort', 'People', 'Week 0', '1', '2', 'Mean', '60', '100', '40.0']);
    expect(texts).toEqual(expect.arrayContaining(['20.0*', '* not over yet'].map((text) => expect.stringContaining(text))));
  });

  test('stars the numbers of periods that are not over, which stay numbers', () => {
    const results = [cohort(null, 10, 4, 2), cohort(null, 30, 6, 0), cohort(null, 20, 0, 0)];
    const query = { kind: 'RetentionQuery', retentionFilter: { period: 'Week' } };
    const after = (days: number) => shownTable(readInsight(query, { results }, Date.UTC(2026, 4, 1 + days)), 9);
    const textsAfter = (days: number) => after(days).rows.map((row) => row.map(({ text }) => text).slice(1));
    expect(textsAfter(6)).toEqual([
      ['10', '10', '4', '2*'],
      ['30', '30', '6*', ''],
      ['20*', '20*', '', ''],
    ]);
    expect(textsAfter(7).flat().join()).not.toContain('*');
    expect(after(6).rows[1]?.[3]).toMatchObject({ value: 6, title: '6 so far' });
    expect(after(6).columns.map(({ isNumber }) => isNumber)).toEqual([false, true, true, true, true]);
  });

  test('has no star where the result ends before today', () => {
    const results = [cohort(null, 10, 4), cohort(null, 30, 6), cohort(null, 20, 0)];
    const insight = readInsight(
      { kind: 'RetentionQuery', retentionFilter: { period: 'Week' } },
      { results },
      Date.UTC(2026, 4, 2),
    );
    expect(shownTable(insight, 9).rows.map((row) => row.map(({ text }) => text).slice(1))).toEqual([
      ['10', '10', '4'],
      ['30', '30', '6*'],
      ['20*', '20*', ''],
    ]);
    expect(textsOf(insight)).toEqual(expect.arrayContaining(['40.0', '20.0*']));
  });

  test('has a scale from its largest value after the first week, and text that can be read on each step', () => {
    const rows = read(cohort(null, 100, 5, 1), cohort(null, 100, 2, 0), cohort(null, 100, 0, 0));
    expect(svgOf(rows)).toContain(`fill="${THEMES.light.scale[9]}"`);
    for (const theme of [THEMES.light, THEMES.dark]) {
      for (const [i, fill] of theme.scale.entries()) expect(contrast(fill, theme.scaleText[i] ?? '')).toBeGreaterThanOrEqual(4.5);
    }
  });

  test('of a breakdown has a row per value, over all its cohorts that are old enough, and no share of an empty cohort', () => {
    const rows = read(cohort('pro', 8, 4), cohort('pro', 5), cohort('', 3, 0), cohort('', 0));
    const texts = textsOf(rows);
    expect(texts.slice(0, 4)).toEqual(['Value', 'People', 'Week 0', '1']);
    expect(texts).toEqual(expect.arrayContaining(['Mean', 'pro', '13', '50.0', '(none)', '3', '0.0']));
    expect(textsOf(read(cohort(null, 0, 0)))).not.toContain('0.0');
  });

  test('names cohorts in words, and cohorts without a name by number', () => {
    const cohorts = read(cohort(12, 4, 1), { ...cohort(13, 2, 1), breakdown_name: 'Paying' });
    expect(textsOf(cohorts)).toEqual(expect.arrayContaining(['Cohort 12', 'Paying']));
  });

  test('leaves long names the room that columns do not need', () => {
    const name = 'one of the many long names of plans that there are';
    expect(textsOf(read(cohort(name, 4, 1)), 800)).toContain(name);
    const later = Array.from({ length: 11 }, () => cohort(name, ...Array(12).fill(0)));
    expect(textsOf(read(cohort(name, ...Array(12).fill(1)), ...later), 700)).not.toContain(name);
  });
});

test('cohorts of months are named by month, others by their first day', () => {
  const results = ['2026-10-01T00:00:00+02:00', '2026-11-01T00:00:00+02:00'].map((date) => ({
    date,
    values: [{ count: 2 }, { count: 0 }],
  }));
  const named = (period: string) => textsOf(readInsight({ kind: 'RetentionQuery', retentionFilter: { period } }, { results }));
  expect(named('Month')).toEqual(expect.arrayContaining(['Month 0', 'Oct 2026', 'Nov 2026']));
  expect(named('Day')).toEqual(expect.arrayContaining(['Day 0', '1 Oct', '1 Nov']));
});

test.each([
  [{ period: 'Week' }, 'week 1 (8 May to 14 May 2026)'],
  [{ period: 'Month' }, 'month 1 (Jun 2026)'],
  [{ period: 'Day', retentionCustomBrackets: [1] }, 'day 1'],
  [{ period: 'Day', retentionCustomBrackets: [7] }, 'days 1 to 7'],
])('cells of retention with %j say all that they are', (retentionFilter, period) => {
  const days = Array.from({ length: 8 }, (_, i) => ({
    date: `2026-05-0${i + 1}T00:00:00Z`,
    values: [{ count: 8 }, { count: i === 0 ? 4 : 0 }],
  }));
  const insight = readInsight({ kind: 'RetentionQuery', retentionFilter }, { results: days }, Date.parse('2027-01-01T10:00:00Z'));
  const name = period.startsWith('month') ? 'May 2026' : '1 May';
  expect(titlesOf(insight)).toContain(`${name}, ${period}: 50.0%, 4 of 8 people`);
});

test('a cell of retention that is not over says so', () => {
  const results = [3, 1].map((count, i) => ({ date: `2026-05-0${i + 1}T00:00:00Z`, values: [{ count }, { count: 2 }] }));
  const query = { kind: 'RetentionQuery', retentionFilter: { period: 'Day' } };
  expect(titlesOf(readInsight(query, { results }, Date.parse('2026-05-02T10:00:00Z')))).toEqual(
    expect.arrayContaining([
      '1 May, day 1 (2 May 2026): 66.7%, 2 of 3 people, so far',
      '2 May, day 0 (2 May 2026): 1 person began, so far',
      'Mean, day 0: 4 people began',
    ]),
  );
});
