export { type ChartOption, type ChartSize, chartOption } from './chart-option.js';
export { type Display, type Edge, type Insight, isEmpty, type Series, type Step } from './insight.js';
export { BOLD, fit, type Measure, RIGHT_TO_LEFT, signsOf, wrap } from './measure.js';
export { type NumberStyle, written } from './number-style.js';
export { readInsight } from './read-insight.js';
export { type ShownCell, type ShownTable, shownTable } from './shown-table.js';
export { type Cell, cellOf, insightTable, type Table } from './table.js';
export { FONT, THEMES, type Theme, type ThemeName } from './theme.js';
