import type { ChartSize, Insight, ThemeName } from '@tidemark/charts';

/** A task of a worker thread; everything in it is cloned into the thread. */
export type Drawing =
  | { kind: 'png'; dashboard: DashboardSnapshot }
  | { kind: 'preview'; dashboard: DashboardSnapshot; hasMark: boolean }
  | { kind: 'pdf'; dashboard: DashboardSnapshot; paper: Paper }
  | { kind: 'svg'; insight: Insight; size: SvgSize };

/** Size (pixels) and theme of a single chart. The thread measures texts by its own fonts. */
export type SvgSize = Omit<ChartSize, 'measure'>;

/** The pages of a document. */
export interface Paper {
  format: 'A4' | 'Letter';
  isLandscape: boolean;
}

/** A file that was drawn. */
export interface DrawnFile {
  bytes: Uint8Array;
  /** The characters that no font has, which are drawn as dots. */
  missing: readonly string[];
}

export interface RendererFolders {
  /** The operator's own fonts; null: only the bundled ones. */
  fontFolder: string | null;
  /** Folders of the machine's fonts; absent: none are used. */
  machineFolders?: readonly string[];
  /** Directory for the configuration and the cache of fontconfig. */
  home: string;
}

/** The content of a tile, ready to draw. */
export type TileContent =
  | { kind: 'insight'; insight: Insight }
  | { kind: 'text'; body: string }
  /** The message that takes the place of a chart. */
  | { kind: 'fault'; message: string };

export interface TileSnapshot {
  title: string;
  /** The text beside the title, such as the date range. */
  note: string;
  /** The text below the title; absent: none. */
  description?: string;
  /** The name of its accent, such as `blue`; absent or unknown: none. */
  color?: string | null;
  /** Position and size on a grid of 12 columns; null: after all others. */
  place: { x: number; y: number; w: number; h: number } | null;
  content: TileContent;
}

/** What a picture says about itself. */
export interface Caption {
  /** The name at the foot, beside the mark of Tidemark; null: neither. */
  project: string | null;
  /** The dates that it shows, such as `25 Oct to 23 Nov 2026`; empty: they stand at the tiles. */
  range: string;
  /** The filters of the dashboard in words; empty: none. */
  filters: string;
  /** When it was made, with the time zone: `23 Nov 2026, 16:34, Copenhagen time`. */
  made: string;
  /** When it was made; epoch milliseconds. */
  madeAt: number;
}

/** A dashboard or a single insight with its results, as the renderer draws it. */
export interface DashboardSnapshot {
  /** Null: a single insight; its tile has the title. */
  title: string | null;
  /** The description, below the title. */
  note: string;
  theme: ThemeName;
  /** Whether title and note are drawn; by default they are. */
  hasHead?: boolean;
  /** Whether charts have legends; by default they have. */
  hasLegend?: boolean;
  /** Absent: the picture has no foot, and its head no dates. */
  caption?: Caption;
  tiles: TileSnapshot[];
}

/** A part of a picture. `tag`: what it is to screen readers, by its structure type in a PDF; null: decoration. */
export interface Part {
  tag: 'H1' | 'H2' | 'P' | 'Figure' | null;
  /** The description of a figure. */
  alt?: string;
  svg: string;
}

export const svgOf = (parts: readonly Part[]): string => parts.map(({ svg }) => svg).join('');
