import { describe, expect, test } from 'vitest';
import { type Insight, readInsight } from '../index.js';
import { renderSvg } from '../render-svg.js';

const textOf = (insight: Insight) => renderSvg(insight, { width: 600, height: 400 });

describe('rows of SQL with a chart', () => {
  const answer = {
    columns: ['day', 'plan', 'n', 'share'],
    results: [
      ['2026-05-01', 'free', 3, '0.25'],
      ['2026-05-01', 'paid', 2, '0.5'],
      ['2026-05-02', 'free', 5, '1'],
    ],
  };
  const drawn = (display: string, chartSettings: object = {}) =>
    readInsight({ kind: 'DataVisualizationNode', source: { kind: 'HogQLQuery' }, display, chartSettings }, answer);
  const y = (column: string, label?: string) => ({ column, settings: { display: { label } } });

  test('are drawn over the column and with the names that its settings say', () => {
    const settings = { xAxis: { column: 'plan' }, yAxis: [y('n', 'People'), y('share'), y('gone')] };
    expect(drawn('ActionsLineGraph', settings)).toMatchObject({
      kind: 'series',
      display: 'line',
      labels: ['free', 'paid', 'free'],
      over: 'plan',
      series: [
        { label: 'People', data: [3, 2, 5] },
        { label: 'share', data: [0.25, 0.5, 1] },
      ],
    });
    expect(drawn('ActionsStackedBar', settings)).toMatchObject({ display: 'stacked' });
    expect(textOf(drawn('ActionsBar', settings))).toMatch(/People.*share/s);
  });

  test('are a ranking of their names', () => {
    const settings = { xAxis: { column: 'plan' }, yAxis: [y('n')] };
    expect(textOf(drawn('ActionsBarValue', settings))).toMatch(/free.*paid/s);
  });

  test('are a line for each value of a column', () => {
    const settings = { xAxis: { column: 'day' }, yAxis: [y('n')], seriesBreakdownColumn: 'plan' };
    expect(drawn('ActionsBar', settings)).toMatchObject({
      display: 'bar',
      labels: ['1 May 2026', '2 May 2026'],
      series: [
        { label: 'free', data: [3, 5], total: 8 },
        { label: 'paid', data: [2, 0] },
      ],
    });
  });

  test('are drawn as their columns suggest without settings', () => {
    expect(drawn('ActionsLineGraph')).toMatchObject({
      labels: ['1 May 2026', '1 May 2026', '2 May 2026'],
      series: [{ label: 'n' }, { label: 'share' }],
    });
    expect(drawn('BoldNumber')).toMatchObject({ display: 'number', series: [{ label: 'n', total: 3 }] });
    expect(drawn('BoldNumber', { yAxis: [y('share', 'Share')] })).toMatchObject({ series: [{ label: 'Share', total: 0.25 }] });
    expect(textOf(drawn('ActionsPie', { xAxis: { column: 'plan' } }))).toContain('>paid: 2 (20.0%)<');
  });

  test.each(['ActionsTable', 'TwoDimensionalHeatmap', undefined, 7])('stay a table if %s is configured', (display) => {
    const node = { kind: 'DataVisualizationNode', source: { kind: 'HogQLQuery' }, display };
    expect(readInsight(node, answer)).toMatchObject({ kind: 'rows', columns: answer.columns });
    expect(readInsight(node, { ...answer, results: [] })).toMatchObject({ kind: 'rows' });
  });

  test('without any number stay a table', () => {
    const texts = { columns: ['a', 'b'], results: [['x', 'y']] };
    expect(readInsight({ kind: 'DataVisualizationNode', display: 'ActionsBar' }, texts)).toMatchObject({ kind: 'rows' });
  });
});

test('ascending times of SQL have the ticks of a calendar, and others keep a label for each row', () => {
  const chart = (days: string[]) => {
    const query = { kind: 'DataVisualizationNode', display: 'ActionsLineGraph', source: { kind: 'HogQLQuery' } };
    return textOf(readInsight(query, { columns: ['day', 'n'], results: days.map((day, i) => [day, i]) }));
  };
  const days = Array.from({ length: 40 }, (_, i) => new Date(Date.UTC(2026, 4, 1 + i)).toISOString().slice(0, 10));
  expect(chart(days)).toContain('>4 May<');
  expect(chart(days)).not.toContain('>5 May<');
  expect(chart(days.toReversed())).not.toContain('>4 May<');
});
