import type { Canvas } from '../canvas.js';
import type { Insight } from '../insight.js';
import type { Mark } from '../marks.js';
import { percent } from '../text/format-number.js';
import { written, writtenShort } from '../text/number-style.js';
import { DOTS, SHAPES, WORLD } from './world-shapes.js';

type SeriesInsight = Extract<Insight, { kind: 'series' }>;

const LEGEND = 28;
/** Steps of the scale above zero. */
const STEPS = 9;
/** Radius of a country that is too small for an outline, in the unit of the map. */
const DOT = 5;

/** Whether a map can show the insight: at least one value belongs to a country. */
export const hasCountries = ({ series }: SeriesInsight): boolean =>
  series.some((one) => one.breakdown !== null && placeOf(one.breakdown) !== null);

const placeOf = (code: string): string | null => (Object.hasOwn(SHAPES, code) || Object.hasOwn(DOTS, code) ? code : null);

/** A world map: the color of a country is its value in nine steps by the square root, because a few countries have most people. */
export function mapMarks({ series }: SeriesInsight, { width, height, theme, measure, hasLegend }: Canvas): Mark[] {
  const values = series.filter(
    ({ breakdown, total, isPrevious }) => breakdown !== null && total > 0 && !isPrevious && placeOf(breakdown) !== null,
  );
  const most = Math.max(0, ...values.map(({ total }) => total));
  const sum = series.reduce((all, { total, isPrevious }) => all + (isPrevious ? 0 : Math.max(0, total)), 0);
  const room = height - (hasLegend ? LEGEND : 0);
  const scale = Math.min(width / WORLD.width, room / WORLD.height);
  const style = series[0]?.style;
  const stepOf = (total: number) => Math.max(1, Math.min(STEPS, Math.ceil(Math.sqrt(total / most) * STEPS)));
  const present = new Set(values.map(({ breakdown }) => breakdown));
  const land = Object.entries(SHAPES).flatMap(([code, d]) => (present.has(code) ? [] : [d]));
  // borders have the same width on the screen at each size
  const border = { stroke: theme.card, strokeWidth: 0.6 / scale };
  const countries = values.map((one): Mark => {
    const { breakdown, label, total } = one;
    const code = breakdown ?? '';
    const paint = {
      fill: theme.scale[stepOf(total)] ?? theme.other,
      ...border,
      title: `${label}: ${written(total, style)} (${percent(total / sum)})`,
      point: `total.${series.indexOf(one)}` as const,
    };
    const [x, y] = DOTS[code] ?? [0, 0];
    return SHAPES[code] ? { kind: 'path', d: SHAPES[code], ...paint } : { kind: 'circle', x, y, radius: DOT, ...paint };
  });
  const map: Mark = {
    kind: 'group',
    x: (width - WORLD.width * scale) / 2,
    y: Math.max(0, (room - WORLD.height * scale) / 2),
    scale,
    marks: [{ kind: 'path', d: land.join(''), fill: theme.grid, stroke: theme.border, strokeWidth: 0.5 / scale }, ...countries],
  };
  if (!hasLegend) return [map];
  const label = writtenShort(most, style);
  const left = 8 + measure('0', 11) + 6;
  const right = width - 8 - measure(label, 11) - 6;
  const step = Math.min(36, (right - left) / STEPS);
  const y = height - 12;
  return [
    map,
    { kind: 'text', text: '0', x: 8, y, size: 11, fill: theme.muted },
    ...Array.from(
      { length: STEPS },
      (_, i): Mark => ({
        kind: 'rect',
        x: left + i * step + 1,
        y: y - 4,
        width: step - 2,
        height: 8,
        radius: 2,
        fill: theme.scale[i + 1] ?? theme.other,
      }),
    ),
    { kind: 'text', text: label, x: left + STEPS * step + 6, y, size: 11, fill: theme.muted },
  ];
}
