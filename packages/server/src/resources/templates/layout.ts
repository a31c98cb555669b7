import type { JsonObject } from '../../kernel/json.js';
import type { TemplateTile } from './template.js';

/** Width of a dashboard at `sm`, in columns. */
const COLUMNS = 12;
const HEIGHT = 5;

/** An insight of a template; `w`: its width in columns, by default half the dashboard. */
export interface Piece {
  name: string;
  description: string;
  source: JsonObject;
  w?: number;
}

/** Places insights from left to right, row by row, on wide screens (`sm`), and one below the other on narrow ones (`xs`). */
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
