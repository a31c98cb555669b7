import { expect, test } from 'vitest';
import { dashboardSvg } from './dashboard-svg.js';
import type { TileSnapshot } from './drawing.js';

const measure = (text: string, size: number): number => text.length * size * 0.6;
const tile = (title: string, place: TileSnapshot['place'] = null): TileSnapshot => ({
  title,
  note: '',
  place,
  content: { kind: 'text', body: 'x' },
});
const drawn = (tiles: TileSnapshot[]) => {
  const { svg, height } = dashboardSvg({ title: 'B', note: '', theme: 'light', tiles }, measure);
  const cards = [...svg.matchAll(/<rect x="[\d.]+" y="([\d.]+)" width="[\d.]+" height="([\d.]+)" rx="8"/g)];
  return { svg, height, bottoms: cards.map(([, y, tall]) => Number(y) + Number(tall)) };
};

test('a picture holds whole tiles up to its limit, and the number of the others', () => {
  const few = drawn([tile('a'), tile('b'), tile('c')]);
  expect(few.bottoms).toHaveLength(3);
  expect(few.svg).not.toContain('more tile');
  const many = drawn(Array.from({ length: 60 }, (_, i) => tile(`tile ${i}`)));
  expect(many.svg).toContain(`>+ ${60 - many.bottoms.length} more tiles<`);
  expect(many.bottoms.length).toBeGreaterThan(30);
  expect(many.height).toBeLessThan(8_100);
  for (const bottom of many.bottoms) expect(bottom).toBeLessThan(many.height - 30);
});

test('a tile that is higher than a picture is cut, not left out', () => {
  const high = drawn([tile('high', { x: 0, y: 0, w: 12, h: 900 }), tile('below', { x: 0, y: 900, w: 12, h: 5 })]);
  expect(high.bottoms).toHaveLength(1);
  expect(high.svg).toContain('>+ 1 more tile<');
  expect(high.height).toBeLessThan(8_100);
});
