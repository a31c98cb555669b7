import 'react-grid-layout/css/styles.css';
import type { ReactNode } from 'react';
import ReactGridLayout, { type Layout, useContainerWidth, verticalCompactor } from 'react-grid-layout';
import { correctBounds } from 'react-grid-layout/core';
import type { Tile } from '../../data/dashboards.js';
import { COLUMNS, GAP, type Place, ROW } from './layout.js';

export interface LayoutEditorProps {
  tiles: readonly Tile[];
  places: ReadonlyMap<number, Place>;
  onChange: (places: Map<number, Place>) => void;
  render: (tile: Tile) => ReactNode;
}

/** The tiles with handles: dragged and resized by the pointer, moved by the arrow keys and resized by Shift with them. */
export function LayoutEditor({ tiles, places: stored, onChange, render }: LayoutEditorProps) {
  const { width, containerRef, mounted } = useContainerWidth();
  const places = compacted(stored);
  const set = (id: number, change: (place: Place) => Place) => {
    const place = places.get(id);
    if (place) onChange(compacted(new Map(places).set(id, change(place))));
  };
  // `onLayoutChange` of the grid comes later than the next press of a key, which it would undo
  const take = (layout: Layout) => {
    const next = placesIn(layout);
    if ([...next].some(([id, place]) => !isSame(place, places.get(id)))) onChange(next);
  };
  return (
    <div ref={containerRef}>
      <p className="mb-3 text-12 text-text-2">
        Drag tiles, or choose one with Tab: arrows move it, Shift with arrows resizes it.
      </p>
      {mounted && (
        <ReactGridLayout
          width={width}
          layout={layoutOf(places)}
          gridConfig={{ cols: COLUMNS, rowHeight: ROW, margin: [GAP, GAP], containerPadding: [0, 0] }}
          dragConfig={{ enabled: true, cancel: 'button,a' }}
          onDragStop={take}
          onResizeStop={take}
        >
          {tiles.map((tile) => (
            // biome-ignore lint/a11y/useSemanticElements: a tile with keys of its own
            <div
              key={tile.id}
              role="group"
              // biome-ignore lint/a11y/noNoninteractiveTabindex: moved by keys
              tabIndex={0}
              aria-label={`${tile.insight?.name ?? 'Text'}: ${sizeText(places.get(tile.id))}`}
              onKeyDown={(event) => {
                const step = STEPS[event.key];
                if (!step || event.target !== event.currentTarget) return;
                event.preventDefault();
                const [dx, dy] = step;
                set(tile.id, (place) => (event.shiftKey ? resized(place, dx, dy) : moved(place, dx, dy)));
              }}
              className="cursor-grab rounded-l focus-visible:outline-2 focus-visible:outline-focus"
            >
              {render(tile)}
            </div>
          ))}
        </ReactGridLayout>
      )}
    </div>
  );
}

const STEPS: Record<string, readonly [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

const between = (value: number, low: number, high: number) => Math.min(high, Math.max(low, value));

const moved = ({ x, y, w, h }: Place, dx: number, dy: number): Place => ({
  x: between(x + dx, 0, COLUMNS - w),
  y: Math.max(0, y + dy),
  w,
  h,
});

const resized = ({ x, y, w, h }: Place, dx: number, dy: number): Place => ({
  x,
  y,
  w: between(w + dx, 2, COLUMNS - x),
  h: Math.max(2, h + dy),
});

const layoutOf = (places: ReadonlyMap<number, Place>): Layout =>
  [...places].map(([id, place]) => ({ i: String(id), ...place, minW: 2, minH: 2 }));

const placesIn = (layout: Layout): Map<number, Place> => new Map(layout.map(({ i, x, y, w, h }) => [Number(i), { x, y, w, h }]));

/** Places as the grid shows them: within its columns, without space above. */
const compacted = (places: ReadonlyMap<number, Place>): Map<number, Place> =>
  placesIn(verticalCompactor.compact(correctBounds([...layoutOf(places)], { cols: COLUMNS }), COLUMNS));

const isSame = (a: Place, b: Place | undefined): boolean =>
  b !== undefined && a.x === b.x && a.y === b.y && a.w === b.w && a.h === b.h;

const sizeText = (place: Place | undefined): string =>
  place ? `column ${place.x + 1}, row ${place.y + 1}, ${place.w} columns wide, ${place.h} rows high` : '';
