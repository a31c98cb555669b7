import { describeInsight } from '@tidemark/charts';
import { expect, test } from 'vitest';
import type { DashboardSnapshot, TileSnapshot } from './drawing.js';
import { previewSvg } from './preview-svg.js';

const measure = (text: string, size: number): number => text.length * size * 0.6;
const tile = (title: string, display: string, data: number[]): TileSnapshot => {
  const days = data.map((_, i) => `2026-11-0${i + 1}`);
  const results = [{ label: 'signed_up', count: 6, aggregated_value: 6, data, days, labels: days }];
  const query = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'signed_up' }], trendsFilter: { display } };
  const insight = describeInsight(query, { results }, { now: Date.UTC(2026, 10, 20), timezone: 'UTC' });
  return { title, note: '', place: null, content: { kind: 'insight', insight } };
};
const number = (title: string) => tile(title, 'BoldNumber', []);
const drawn = (tiles: TileSnapshot[], more: Partial<DashboardSnapshot> = {}) =>
  previewSvg({ title: 'Growth', note: '', theme: 'light', tiles, ...more }, true, measure).svg;
const caption = { project: null, range: '1 Nov to 3 Nov 2026', filters: '', made: '', madeAt: 0 };

test('a preview has three numbers, and below them the first chart instead of a fourth number', () => {
  const rows: TileSnapshot = {
    ...number('A list'),
    content: { kind: 'insight', insight: { kind: 'rows', columns: ['a'], rows: [[1]] } },
  };
  const numbers = ['One', 'Two', 'Three', 'Four'].map(number);
  const svg = drawn([...numbers, rows, tile('By day', 'ActionsLineGraph', [1, 2, 3])]);
  for (const title of ['One', 'Two', 'Three', 'By day']) expect(svg).toContain(`>${title}<`);
  for (const title of ['Four', 'A list']) expect(svg).not.toContain(`>${title}<`);
  expect(drawn(numbers)).toContain('>Four<');
});

test('a preview says which days it shows', () => {
  expect(drawn([number('One')], { caption })).toContain('>1 Nov to 3 Nov 2026<');
});
