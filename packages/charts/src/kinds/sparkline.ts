import { type Mark, marksSvg, round } from '../marks.js';
import { THEMES, type Theme } from '../theme/theme.js';

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The numbers of a sparkline. */
export interface Sparkline {
  points: readonly number[];
  /** How many points at the end are of periods that are not over. */
  unfinished: number;
  /** What it shows, in words. */
  about?: string;
}

/** A line without axes over an area from its lowest value, with a point at its end. What is not over is dashed, with a hollow point. */
export function sparkMarks(
  { points, unfinished, about }: Sparkline,
  { x, y, width, height }: Box,
  { palette: [color = ''], card }: Pick<Theme, 'palette' | 'card'>,
): Mark[] {
  if (height < 8) return [];
  const [low, high] = [Math.min(...points), Math.max(...points)];
  const radius = 3;
  const placed = points.map((value, i) => {
    const share = high > low ? (value - low) / (high - low) : 0.5;
    return [
      round(x + ((width - radius) * i) / (points.length - 1)),
      round(y + radius + (height - 2 * radius) * (1 - share)),
    ] as const;
  });
  const pathOf = (part: typeof placed) => part.map(([px, py], i) => `${i === 0 ? 'M' : 'L'}${px} ${py}`).join('');
  const whole = placed.length - unfinished;
  const [endX, endY] = placed.at(-1) ?? [x, y];
  return [
    { kind: 'path', d: `${pathOf(placed)}V${round(y + height)}H${round(x)}z`, fill: color, fillOpacity: 0.09 },
    ...(whole > 1 ? [{ kind: 'path' as const, d: pathOf(placed.slice(0, whole)), stroke: color, strokeWidth: 1.5 }] : []),
    ...(unfinished > 0
      ? [
          {
            kind: 'path' as const,
            d: pathOf(placed.slice(Math.max(0, whole - 1))),
            stroke: color,
            strokeWidth: 1.5,
            dash: [3, 2],
          },
        ]
      : []),
    unfinished > 0
      ? { kind: 'circle', x: endX, y: endY, radius: 2.5, fill: card, stroke: color, strokeWidth: 1.5 }
      : { kind: 'circle', x: endX, y: endY, radius: 2.5, fill: color },
    // an unseen shape over all of it, which the pointer finds between the lines
    ...(about ? [{ kind: 'rect' as const, x, y, width, height, fill: color, fillOpacity: 0, title: about }] : []),
  ];
}

/** A sparkline as an SVG document, in the colors of a page. */
export const sparklineSvg = (sparkline: Sparkline, size: { width: number; height: number }): string =>
  marksSvg(sparkMarks(sparkline, { x: 0, y: 0, ...size }, THEMES.page), { ...size, font: null });
