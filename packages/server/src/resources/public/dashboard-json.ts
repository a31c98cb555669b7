import type { Look } from './display-options.js';
import type { PublicBoard } from './load.js';

/** What a page shows, as programs read it: no more than the page. */
export const boardJson = ({ title, description, tiles }: PublicBoard, { hasDetails }: Look) => ({
  type: 'scene',
  name: title ?? tiles[0]?.title ?? '',
  description: hasDetails ? description : '',
  tiles: tiles.map((tile) => ({
    name: tile.title,
    description: hasDetails ? tile.description : '',
    dates: hasDetails ? tile.days : '',
    color: tile.color,
    layout: tile.place,
    text: tile.content.kind === 'text' ? tile.content.body : null,
    result: tile.content.kind === 'insight' ? tile.content.insight : null,
    last_refresh: tile.content.kind === 'insight' ? tile.content.computedAt : null,
    error: tile.content.kind === 'fault' ? tile.content.message : null,
  })),
});
