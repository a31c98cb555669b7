import { type Mark, marksSvg, round } from '../marks.js';
import { FONT, THEMES } from '../theme/theme.js';

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A line without axes over an area from its lowest value, with a point at its end. */
export function sparkMarks(points: readonly number[], { x, y, width, height }: Box, color: string): Mark[] {
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
  const d = placed.map(([px, py], i) => `${i === 0 ? 'M' : 'L'}${px} ${py}`).join('');
  const [endX, endY] = placed.at(-1) ?? [x, y];
  return [
    { kind: 'path', d: `${d}V${round(y + height)}H${round(x)}z`, fill: color, fillOpacity: 0.09 },
    { kind: 'path', d, stroke: color, strokeWidth: 1.5 },
    { kind: 'circle', x: endX, y: endY, radius: 2.5, fill: color },
  ];
}

/** A sparkline as an SVG document, in the colors of a page. */
export const sparklineSvg = (points: readonly number[], size: { width: number; height: number }): string =>
  marksSvg(sparkMarks(points, { x: 0, y: 0, ...size }, THEMES.page.palette[0] ?? ''), { ...size, font: FONT });
