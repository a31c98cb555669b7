import { createHash } from 'node:crypto';
import type { Deps } from '../../deps.js';
import { type Board, renderDashboardPng, type TileContent } from '../exports/index.js';
import { createKept, type Kept } from './cache.js';
import type { Look } from './display-options.js';
import type { PublicBoard, PublicContent } from './load.js';

const KEPT_MS = 10 * 60_000;
/** Pictures that are held in memory. */
const MAX_BYTES = 32 * 1024 * 1024;

/** Draws pictures of whole pages, for those who show a link to one. */
export interface Pictures {
  draw(board: PublicBoard, look: Look): Promise<Uint8Array>;
}

export function createPictures(deps: Deps): Pictures {
  const kept: Kept<Uint8Array> = createKept(deps.clock, {
    ms: () => KEPT_MS,
    bytesOf: (picture) => picture.byteLength,
    maxBytes: MAX_BYTES,
  });
  return {
    draw: (board, look) => {
      const drawn = pictureOf(board, look);
      const key = createHash('sha256').update(JSON.stringify(drawn)).digest('base64');
      return kept.get(key, () => renderDashboardPng(deps, drawn));
    },
  };
}

const pictureOf = ({ title, description, tiles }: PublicBoard, { theme, hasDetails, hasHeader, hasLegend }: Look): Board => ({
  title,
  note: hasDetails ? description : '',
  theme: theme === 'dark' ? 'dark' : 'light',
  hasHead: hasHeader,
  hasLegend,
  tiles: tiles.map(({ title: name, days, place, content }) => ({
    title: name,
    note: hasDetails ? days : '',
    place,
    content: pictured(content),
  })),
});

function pictured(content: PublicContent): TileContent {
  return content.kind === 'insight' ? { kind: 'insight', insight: content.insight } : content;
}
