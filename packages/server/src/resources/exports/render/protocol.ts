import type { Insight, ThemeName } from '@tidemark/charts';
import type { Board } from './board.js';

/** What the worker is asked for. */
export type Drawing =
  | { kind: 'png'; board: Board }
  /** `made`: epoch milliseconds. */
  | { kind: 'pdf'; board: Board; made: number }
  | { kind: 'svg'; insight: Insight; width: number; height: number; theme: ThemeName };

export interface DrawingRequest {
  id: number;
  drawing: Drawing;
}

export type DrawingAnswer = { id: number; bytes: Uint8Array } | { id: number; error: string };

export interface RendererFolders {
  /** Where the operator keeps more fonts. */
  fontFolder: string | null;
  /** For what the renderer writes for itself. */
  home: string;
}
