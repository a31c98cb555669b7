import type { Insight, ThemeName } from '@tidemark/charts';

/** What is drawn of a tile. */
export type TileContent =
  | { kind: 'insight'; insight: Insight }
  | { kind: 'text'; body: string }
  /** There is no chart, and why. */
  | { kind: 'fault'; message: string };

export interface BoardTile {
  title: string;
  /** Below the title, such as which days are shown. */
  note: string;
  /** On a grid of 12 columns; null: after all others. */
  place: { x: number; y: number; w: number; h: number } | null;
  content: TileContent;
}

/** A dashboard, or one insight, as it is drawn. */
export interface Board {
  /** Null: a single insight, whose tile has the title. */
  title: string | null;
  /** Below the title. */
  note: string;
  theme: ThemeName;
  /** False: without title and note. */
  hasHead?: boolean;
  /** False: charts have no legends. */
  hasLegend?: boolean;
  tiles: BoardTile[];
}
