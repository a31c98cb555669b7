import { BOLD, fit, type Insight, isEmpty, type Measure, numberParts, THEMES, type Theme } from '@tidemark/charts';
import { type Picture, pictureOf } from './dashboard-svg.js';
import type { DashboardSnapshot, TileSnapshot } from './drawing.js';
import { markSvg } from './frame-svg.js';
import { textSvg } from './markdown-svg.js';
import { contentSvg } from './tile-svg.js';

/** The size that chats and social networks show without a crop; pixels. */
const PREVIEW = { width: 1200, height: 630 };
const MARGIN = 60;
const INNER = PREVIEW.width - 2 * MARGIN;
/** The smallest font: previews are shown at a third of their size. */
const SMALL = 22;
const LARGE = 52;
/** A number is not drawn smaller than this for the change beside it. */
const LEAST = 36;
const MAX_NUMBERS = 3;
/** How much a chart is enlarged, so that its letters are not smaller than {@link SMALL}. */
const CHART_SCALE = 2;

type SeriesInsight = Extract<Insight, { kind: 'series' }>;

/**
 * The picture of a link: the title, up to three numbers and one line of the dashboard, or its first chart.
 * `hasMark`: whether it shows the mark of Tidemark.
 */
export function previewSvg(dashboard: DashboardSnapshot, hasMark: boolean, measure: Measure): Picture {
  const theme = THEMES[dashboard.theme];
  const insights = dashboard.tiles.filter((tile) => tile.content.kind === 'insight');
  const numbers = insights.filter((tile) => seriesOf(tile)?.display === 'number').slice(0, MAX_NUMBERS);
  const chart = insights.find(isChart) ?? insights.find((tile) => !numbers.includes(tile));
  const title = dashboard.title ?? dashboard.tiles[0]?.title ?? '';
  const parts = [
    hasMark ? markSvg(MARGIN, 52, 40) + textSvg('Tidemark', MARGIN + 56, 80, { size: 24, fill: theme.text, isBold: true }) : '',
    rangeSvg(dashboard.caption?.range ?? '', theme, measure),
    textSvg(fit(title, INNER, LARGE * BOLD, measure), MARGIN, 165, { size: LARGE, fill: theme.text, isBold: true }),
    ...numbers.map((tile, i) => numberSvg(tile, MARGIN + (i * INNER) / MAX_NUMBERS, theme, measure)),
    chart ? chartSvg(chart, numbers.length > 0 ? 394 : 230, dashboard, measure) : '',
    insights.length === 0 && dashboard.note
      ? textSvg(fit(dashboard.note, INNER, 28, measure), MARGIN, 230, { size: 28, fill: theme.text2 })
      : '',
  ];
  return pictureOf(parts.join(''), PREVIEW.width, PREVIEW.height, theme.card);
}

/** Whether a tile is a chart with data, not a number or a list. */
const isChart = ({ content }: TileSnapshot): boolean => {
  if (content.kind !== 'insight' || isEmpty(content.insight)) return false;
  const { insight } = content;
  return insight.kind === 'series' ? !['number', 'table'].includes(insight.display) : insight.kind !== 'rows';
};

const seriesOf = ({ content }: TileSnapshot): SeriesInsight | null =>
  content.kind === 'insight' && content.insight.kind === 'series' ? content.insight : null;

/** The dates at the right of the first line. */
const rangeSvg = (range: string, theme: Theme, measure: Measure): string =>
  range ? textSvg(range, MARGIN + INNER - measure(range, SMALL), 80, { size: SMALL, fill: theme.muted }) : '';

function numberSvg(tile: TileSnapshot, x: number, theme: Theme, measure: Measure): string {
  const insight = seriesOf(tile);
  if (!insight) return '';
  const { value, change } = numberParts(insight);
  const left = x + 22;
  const room = INNER / MAX_NUMBERS - 22 - 24;
  const unit = Math.max(1, measure(value, 100 * BOLD)) / 100;
  const arrow = change ? { up: '▲ ', down: '▼ ', none: '' }[change.direction] : '';
  const text = change ? arrow + change.text : '';
  const fill = change ? { good: theme.good, bad: theme.bad, none: theme.text2 }[change.verdict] : theme.text2;
  // a change may make its number smaller, but not much
  const besideChange = (room - 14 - measure(text, SMALL)) / unit;
  const hasChange = text !== '' && besideChange >= LEAST;
  const size = Math.min(LARGE, hasChange ? besideChange : room / unit);
  return [
    `<rect x="${x}" y="205" width="4" height="105" fill="${theme.border}"/>`,
    textSvg(fit(tile.title, room, SMALL, measure), left, 228, { size: SMALL, fill: theme.text2 }),
    textSvg(value, left, 291, { size, fill: theme.text, isBold: true }),
    hasChange ? textSvg(text, left + size * unit + 14, 291, { size: SMALL, fill }) : '',
  ].join('');
}

/** A chart over time as a line without axes; another chart as it stands on the dashboard, enlarged. */
function chartSvg(tile: TileSnapshot, top: number, dashboard: DashboardSnapshot, measure: Measure): string {
  const theme = THEMES[dashboard.theme];
  const name = tile.title === dashboard.title || dashboard.title === null ? '' : tile.title;
  const heading = textSvg(fit(name, INNER, SMALL, measure), MARGIN, top, { size: SMALL, fill: theme.text2 });
  const insight = seriesOf(tile);
  const data = insight?.series.find(({ isPrevious }) => !isPrevious)?.data ?? [];
  const y = top + (name ? 16 : -20);
  const height = PREVIEW.height - 38 - y;
  if (insight?.series.length === 1 && data.length > 1 && ['line', 'area', 'bar'].includes(insight.display)) {
    return heading + lineSvg(data, insight.unfinished ?? 0, { y, height }, theme);
  }
  const box = { x: 0, y: 0, width: INNER / CHART_SCALE, height: height / CHART_SCALE };
  return `${heading}<g transform="translate(${MARGIN} ${y}) scale(${CHART_SCALE})">${contentSvg(tile.content, box, dashboard, measure)}</g>`;
}

/** A line over its area; buckets that are not over are dashed, with a hollow end. */
function lineSvg(
  data: readonly number[],
  unfinished: number,
  { y, height }: { y: number; height: number },
  theme: Theme,
): string {
  const top = Math.max(...data, 0);
  const low = Math.min(...data, 0);
  const points = data.map((value, i): [number, number] => [
    Math.round(MARGIN + ((INNER - 20) * i) / (data.length - 1)),
    Math.round(y + 10 + (height - 10) * (top > low ? (top - value) / (top - low) : 1)),
  ]);
  const path = (some: readonly [number, number][]) => `M${some.map(([px, py]) => `${px} ${py}`).join('L')}`;
  const base = y + height;
  const over = points.length - Math.min(unfinished, points.length - 1);
  const [endX, endY] = points.at(-1) ?? [0, 0];
  const color = theme.palette[0];
  const line = `fill="none" stroke="${color}" stroke-width="5" stroke-linejoin="round"`;
  return [
    `<path d="${path(points)}L${endX} ${base}L${MARGIN} ${base}Z" fill="${color}" fill-opacity="0.1"/>`,
    `<rect x="${MARGIN}" y="${base}" width="${INNER}" height="2" fill="${theme.border}"/>`,
    `<path d="${path(points.slice(0, over))}" ${line}/>`,
    unfinished > 0 ? `<path d="${path(points.slice(over - 1))}" ${line} stroke-dasharray="10 8"/>` : '',
    `<circle cx="${endX}" cy="${endY}" r="8" stroke="${color}" stroke-width="4" fill="${unfinished > 0 ? theme.card : color}"/>`,
  ].join('');
}
