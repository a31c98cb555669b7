import type { JsonObject } from '../../kernel/json.js';
import type { TemplateTile } from './template.js';

/** Width of a dashboard at `sm`, in columns. */
const COLUMNS = 12;
const HEIGHT = 5;

/** An insight on a dashboard to be laid out; `w` is its width in columns (half the dashboard unless said). */
export interface Piece {
  name: string;
  description: string;
  source: JsonObject;
  w?: number;
}

/** Tiles laid out from left to right, row by row, at `sm`; one below the other at `xs`. */
export function laidOut(pieces: readonly Piece[]): TemplateTile[] {
  let x = 0;
  let y = 0;
  return pieces.map(({ name, description, source, w = COLUMNS / 2 }, index) => {
    if (x + w > COLUMNS) {
      x = 0;
      y += HEIGHT;
    }
    const size = { h: HEIGHT, minH: HEIGHT, minW: 3 };
    const layouts = { sm: { x, y, w, ...size }, xs: { x: 0, y: index * HEIGHT, w: 1, ...size, minW: 1 } };
    x += w;
    return { type: 'INSIGHT', name, description, query: { kind: 'InsightVizNode', source }, filters: {}, layouts, color: null };
  });
}
