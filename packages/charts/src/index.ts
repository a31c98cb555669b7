export { letterOf } from './axes/annotations.js';
export type { ChartSize } from './canvas.js';
export { type ChartData, chartData } from './chart-data.js';
export { type EmptyTexts, emptyTexts } from './empty-texts.js';
export {
  type Comparison,
  type Display,
  type Edge,
  type Goal,
  type Insight,
  isEmpty,
  type Series,
  type Step,
  type Variant,
} from './insight.js';
export { type Change, type NumberParts, numberParts } from './kinds/number-parts.js';
export { type RetentionCell, type RetentionTable, retentionTable } from './kinds/retention-table.js';
export { sparklineSvg } from './kinds/sparkline.js';
export type { PointName } from './marks.js';
export { annotate, type Happening } from './read/annotate.js';
export { type ComputedAt, describeInsight, wallClock } from './read/describe-insight.js';
export { readInsight } from './read/read-insight.js';
export { readableName } from './read/readable-names.js';
export { renderSvg } from './render-svg.js';
export type { ShownCell, ShownTable } from './shown-cells.js';
export { shownTable } from './shown-table.js';
export { chartSummary } from './summary.js';
export { type Cell, cellOf, insightTable, type Table } from './table.js';
export { formatDuration } from './text/format-number.js';
export { BOLD, fit, type Measure, RIGHT_TO_LEFT, signsOf, wrap } from './text/measure.js';
export { type NumberStyle, written } from './text/number-style.js';
export { colorOf, createSharedColors } from './theme/series-color.js';
export { FONT, THEMES, type Theme, type ThemeName } from './theme/theme.js';
export { TOKENS } from './theme/tokens.js';
export { courseTable } from './totals-table.js';
