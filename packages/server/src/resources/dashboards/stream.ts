import type { Tile } from './tile-view.js';

/** How many tiles come along with the dashboard itself: what fills the screen first. */
const FIRST = 2;

/**
 * A dashboard as server-sent events: itself with its first tiles, the other tiles one by one as they are computed, and the end.
 * What is wrong with a tile is told after it. `order` is a tile's place among all of them.
 */
export async function* tileMessages(dashboard: object, tiles: readonly Promise<Tile>[]): AsyncGenerator<string> {
  const first = await Promise.all(tiles.slice(0, FIRST));
  yield message({ type: 'metadata', dashboard: { ...dashboard, tiles: first } });
  for (const tile of first) yield* fault(tile);
  for (const later of tiles.slice(FIRST)) {
    const tile = await later;
    yield message({ type: 'tile', order: tile.order, tile });
    yield* fault(tile);
  }
  yield message({ type: 'complete' });
}

function* fault({ id, error }: Tile): Generator<string> {
  if (error) yield message({ type: 'error', tile_id: id, error: error.message });
}

const message = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
