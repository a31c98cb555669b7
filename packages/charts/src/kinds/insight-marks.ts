import { axesMarks } from '../axes/axes-marks.js';
import { NARROW } from '../axes/category-axis.js';
import type { Canvas } from '../canvas.js';
import { emptyTexts } from '../empty-texts.js';
import { type Insight, isEmpty } from '../insight.js';
import type { Mark } from '../marks.js';
import { shownTable } from '../shown-table.js';
import { BOLD, wrap } from '../text/measure.js';
import { categoryMarks } from './category-marks.js';
import { comparisonMarks } from './comparison-marks.js';
import { funnelMarks } from './funnel-marks.js';
import { hasCountries, mapMarks } from './map-marks.js';
import { numberMarks } from './number-marks.js';
import { pathsMarks } from './paths-marks.js';
import { rankingMarks } from './ranking-marks.js';
import { retentionMarks } from './retention-marks.js';
import { shareMarks } from './share-marks.js';
import { rowsWithin, tableMarks } from './table-marks.js';

/** The marks of an insight. Decision record 0046. */
export function insightMarks(insight: Insight, canvas: Canvas): Mark[] {
  if (isEmpty(insight)) return noData(insight, canvas);
  switch (insight.kind) {
    case 'series':
      return seriesMarks(insight, canvas);
    case 'funnel':
      return funnelMarks(insight, canvas);
    case 'retention':
      return retentionMarks(insight, canvas);
    case 'paths':
      return pathsMarks(insight, canvas);
    case 'comparison':
      return comparisonMarks(insight, canvas);
    case 'rows':
    case 'nothing':
      return tableMarks(shownTable(insight, rowsWithin(canvas.height)), canvas);
  }
}

type SeriesInsight = Extract<Insight, { kind: 'series' }>;

function seriesMarks(insight: SeriesInsight, canvas: Canvas): Mark[] {
  switch (insight.display) {
    case 'number':
      return numberMarks(insight, canvas);
    case 'pie':
      // a pie cannot show zero or negative shares
      return hasPositive(insight) ? shareMarks(insight, canvas) : rankingMarks(insight, canvas);
    case 'total-bar':
      return rankingMarks(insight, canvas);
    case 'map':
      // a map cannot show zero or negative numbers
      if (hasCountries(insight)) return hasPositive(insight) ? mapMarks(insight, canvas) : rankingMarks(insight, canvas);
      return tableMarks(shownTable(insight, rowsWithin(canvas.height)), canvas);
    case 'table':
      return tableMarks(shownTable(insight, rowsWithin(canvas.height)), canvas);
    default:
      if (!insight.isCategorical || haveSpace(insight, canvas)) return axesMarks(insight, canvas);
      if (insight.series.length === 1) return rankingMarks(insight, canvas);
      return haveSpaceInLines(insight, canvas) ? axesMarks(insight, canvas) : categoryMarks(insight, canvas);
  }
}

const hasPositive = ({ series }: SeriesInsight): boolean => series.some(({ total, isPrevious }) => total > 0 && !isPrevious);

/** Whether the names of all categories fit below their bars, in one line. */
function haveSpace({ labels }: SeriesInsight, { width, measure }: Canvas): boolean {
  const widest = Math.max(0, ...labels.map((label) => measure(label, 12)));
  return labels.length * (widest + 16) <= width - 70;
}

/** Whether an axis shows each name, in several lines. */
const haveSpaceInLines = ({ labels }: SeriesInsight, { width }: Canvas): boolean => labels.length * NARROW <= width - 70;

/** What is missing, in bold, and why. */
function noData(insight: Insight, { width, height, theme, measure }: Canvas): Mark[] {
  const { fact, cause } = emptyTexts(insight);
  const [x, y] = [16, height / 2];
  const room = width - 2 * x;
  const facts = wrap(fact, room, 13 * BOLD, 2, measure);
  const top = y - 10 - 18 * (facts.length - 1);
  return [
    ...facts.map((text, i): Mark => ({ kind: 'text', text, x, y: top + i * 18, size: 13, isBold: true, fill: theme.text })),
    ...wrap(cause, room, 12, 3, measure).map(
      (text, i): Mark => ({ kind: 'text', text, x, y: y + 10 + i * 17, size: 12, fill: theme.muted }),
    ),
  ];
}
