import type { ReactNode } from 'react';
import type { Tile } from '../../data/dashboards.js';
import { inReadingOrder, type Place } from './layout.js';

export interface TileGridProps {
  tiles: readonly Tile[];
  places: ReadonlyMap<number, Place>;
  render: (tile: Tile) => ReactNode;
}

/** The tiles at their places. */
export const TileGrid = ({ tiles, places, render }: TileGridProps) => (
  <ul className="grid auto-rows-[60px] grid-cols-12 gap-3 max-sm:auto-rows-auto max-sm:grid-cols-2">
    {inReadingOrder(tiles, places).map((tile) => (
      <GridItem key={tile.id} place={places.get(tile.id) ?? { x: 0, y: 0, w: 6, h: 5 }}>
        {render(tile)}
      </GridItem>
    ))}
  </ul>
);

/** A cell of the grid: its place on wide screens; on phones half the width for small tiles, all of it for others. */
const GridItem = ({ place: { x, y, w, h }, children }: { place: Place; children: ReactNode }) => (
  <li
    className={`grid min-w-0 sm:col-[var(--col)] sm:row-[var(--row)] ${w <= 3 && h <= 3 ? 'max-sm:h-36' : 'max-sm:col-span-2 max-sm:h-80'}`}
    style={{ '--col': `${x + 1} / span ${w}`, '--row': `${y + 1} / span ${h}` } as React.CSSProperties}
  >
    {children}
  </li>
);
