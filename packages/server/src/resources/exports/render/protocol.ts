import type { ChartSize, Insight } from '@tidemark/charts';
import type { Board } from './dashboard.js';

/** One task of a worker thread. */
export type Drawing =
  | { kind: 'png'; board: Board }
  | { kind: 'pdf'; board: Board; made: Made }
  | { kind: 'svg'; insight: Insight; size: SvgSize };

/** Of a chart alone; pixels. */
export type SvgSize = Omit<ChartSize, 'measure'>;

/** When something was made, for those who read it. */
export interface Made {
  /** Epoch milliseconds. */
  at: number;
  /** Of the project, such as `Europe/Berlin`. */
  timezone: string;
}

export interface RendererFolders {
  /** Where the operator keeps more fonts. */
  fontFolder: string | null;
  /** For what the renderer writes for itself. */
  home: string;
}
