export { type ChartOption, type ChartSize, chartOption } from './chart-option.js';
export { type ComputedAt, describeInsight } from './describe-insight.js';
export { type EmptyTexts, emptyTexts } from './empty-texts.js';
export {
  type Comparison,
  type Display,
  type Edge,
  type Insight,
  isEmpty,
  type Series,
  type Step,
  type Variant,
} from './insight.js';
export { BOLD, fit, type Measure, RIGHT_TO_LEFT, signsOf, wrap } from './measure.js';
export { type Change, type NumberParts, numberParts } from './number-parts.js';
export { type NumberStyle, written } from './number-style.js';
export { readInsight } from './read-insight.js';
export { type RetentionCell, type RetentionTable, retentionTable } from './retention-table.js';
export { colorOf, shareColors } from './series-color.js';
export { type ShownCell, type ShownTable, shownTable } from './shown-table.js';
export { sparklineSvg } from './sparkline.js';
export { type Cell, cellOf, insightTable, type Table } from './table.js';
export { FONT, THEMES, type Theme, type ThemeName } from './theme.js';
export { TOKENS } from './tokens.js';
