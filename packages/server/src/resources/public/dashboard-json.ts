import type { PublicDashboard } from './dashboard-loader.js';
import type { DisplayOptions } from './display-options.js';

/** The body of `/shared/<token>.json`: what the page shows, and no more. */
export const dashboardJson = ({ title, description, tiles }: PublicDashboard, { hasDetails }: DisplayOptions) => ({
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
