import type { ChartSize, Insight } from '@tidemark/charts';
import type { DashboardSnapshot } from './dashboard-snapshot.js';

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
