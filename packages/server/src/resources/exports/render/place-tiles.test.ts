import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TileSnapshot } from './drawing.js';
import { placeOnPages } from './place-tiles.js';

const GRID = { width: 698, row: 46, gap: 10 };
const tileOf = (place: TileSnapshot['place'], title = ''): TileSnapshot => ({
  title,
  note: '',
  place,
  content: { kind: 'text', body: '' },
});

test('a row of tiles that does not fit whole begins the next page', () => {
  const tiles = [
    tileOf({ x: 0, y: 0, w: 12, h: 5 }, 'wide'),
    tileOf({ x: 0, y: 5, w: 6, h: 5 }, 'high'),
    tileOf({ x: 6, y: 5, w: 6, h: 2 }, 'low'),
  ];
  const pages = placeOnPages(tiles, GRID, 400, 900);
  expect(pages.map((page) => page.map(({ tile }) => tile.title))).toEqual([['wide'], ['high', 'low']]);
  expect(pages[1]?.map(({ box }) => box.y)).toEqual([0, 0]);
});

test('no page cuts a tile, no tile covers another, and none is lost', () => {
  const place = fc.record({
    x: fc.integer({ min: 0, max: 11 }),
    y: fc.integer({ min: 0, max: 60 }),
    w: fc.integer({ min: 1, max: 12 }),
    h: fc.integer({ min: 1, max: 30 }),
  });
  fc.assert(
    fc.property(fc.array(fc.option(place), { maxLength: 25 }), (places) => {
      const tiles = places.map((one) => tileOf(one));
      const pages = placeOnPages(tiles, GRID, 700, 900);
      expect(pages.flat().length).toBe(tiles.length);
      expect(new Set(pages.flat().map(({ tile }) => tile)).size).toBe(tiles.length);
      for (const [number, page] of pages.entries()) {
        for (const { box } of page) expect(box.y + box.height).toBeLessThanOrEqual(number === 0 ? 700.5 : 900.5);
        for (const [i, { box: a }] of page.entries())
          for (const { box: b } of page.slice(i + 1)) {
            const isApart = a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y;
            expect(isApart).toBe(true);
          }
      }
    }),
    { numRuns: 100 },
  );
});
