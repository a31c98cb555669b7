import type { ChartSize, Insight, ThemeName } from '@tidemark/charts';

/** A task of a worker thread; everything in it is cloned into the thread. */
export type Drawing =
  | { kind: 'png'; dashboard: DashboardSnapshot }
  | { kind: 'pdf'; dashboard: DashboardSnapshot; created: CreationTime }
  | { kind: 'svg'; insight: Insight; size: SvgSize };

/** Size (pixels) and theme of a single chart. The thread measures texts by its own fonts. */
export type SvgSize = Omit<ChartSize, 'measure'>;

/** The time that a document shows in its footer. */
export interface CreationTime {
  /** Epoch milliseconds. */
  at: number;
  /** IANA time zone of the project, such as `Europe/Berlin`. */
  timezone: string;
}

export interface RendererFolders {
  /** The operator's own fonts; null: only the bundled ones. */
  fontFolder: string | null;
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
  /** The line below the title, such as the date range. */
  note: string;
  /** Position and size on a grid of 12 columns; null: after all others. */
  place: { x: number; y: number; w: number; h: number } | null;
  content: TileContent;
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
  tiles: TileSnapshot[];
}
