import { type Measure, roughly } from './text/measure.js';
import { type ChartTheme, THEMES, type Theme } from './theme/theme.js';

export interface ChartSize {
  /** Pixels. */
  width: number;
  height: number;
  theme?: ChartTheme;
  /** Default true. */
  hasLegend?: boolean;
  /** Whether the picture says what the letters of its annotations mean. Default true; a page may have a list of its own. */
  hasNotes?: boolean;
  /** What screen readers say instead of the picture. */
  label?: string;
  /** Begins each id of the SVG, for pages with several. */
  idPrefix?: string;
  /** Measures text in the font of the picture; default: a cautious estimate. */
  measure?: Measure;
}

/** What every kind of chart is drawn with. */
export interface Canvas {
  width: number;
  height: number;
  theme: Theme;
  measure: Measure;
  hasLegend: boolean;
  hasNotes: boolean;
}

export const canvasOf = ({
  width,
  height,
  theme = 'light',
  hasLegend = true,
  hasNotes = true,
  measure = roughly,
}: ChartSize): Canvas => ({
  width,
  height,
  theme: THEMES[theme],
  measure,
  hasLegend,
  hasNotes,
});
