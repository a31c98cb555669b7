import { BOLD, type Measure } from './text/measure.js';

interface Paint {
  fill?: string;
  /** 0 to 1. */
  opacity?: number;
  fillOpacity?: number;
  stroke?: string;
  strokeWidth?: number;
  dash?: readonly number[];
  /** Whether its lines have round corners. */
  isRound?: boolean;
  /** Color of diagonal lines that fill the shape. */
  hatch?: string;
  /** What browsers show under the pointer. */
  title?: string;
  /** Names what the shape stands for, for the script of a page: see {@link PointName}. */
  point?: PointName;
  /** Marks the area within the axes, for the script of a page. */
  isPlot?: boolean;
}

/**
 * The part of a result that a shape shows. Numbers are indexes in the result, of steps from 1: `step.2.0` and `lost.2.0` (step, breakdown
 * value), `cohort.3.1` (row, column), `total.0` (series); in paths `to.`, `from.` and `end.` with a step such as `2_/pricing`, and `edge.` with
 * a JSON list of two.
 */
export type PointName =
  | `${'step' | 'lost' | 'cohort'}.${number}.${number}`
  | `total.${number}`
  | `${'to' | 'from' | 'end' | 'edge'}.${string}`;

/** A shape of a picture; pixels. The middle of a text is at its `y`. */
export type Mark =
  | ({ kind: 'rect'; x: number; y: number; width: number; height: number; radius?: number } & Paint)
  | ({ kind: 'circle'; x: number; y: number; radius: number } & Paint)
  /** `d`: as in SVG. */
  | ({ kind: 'path'; d: string } & Paint)
  | ({ kind: 'text'; text: string; x: number; y: number } & TextStyle)
  /** Marks in a coordinate system of their own; without texts. */
  | { kind: 'group'; x: number; y: number; scale: number; marks: readonly Mark[] };

export interface TextStyle {
  fill: string;
  /** Default: 12. */
  size?: number;
  isBold?: boolean;
  anchor?: 'start' | 'middle' | 'end';
}

/** Width of a text in its style. */
export const widthOf = (
  text: string,
  { size = 12, isBold = false }: Pick<TextStyle, 'size' | 'isBold'>,
  measure: Measure,
): number => measure(text, isBold ? size * BOLD : size);

/** A thin horizontal line. */
export const rule = (x: number, y: number, width: number, fill: string): Mark => ({ kind: 'rect', x, y, width, height: 1, fill });

/** A line from one point to another. */
export const line = (from: readonly [number, number], to: readonly [number, number], stroke: string, strokeWidth = 1): Mark => ({
  kind: 'path',
  d: `M${from.map(round).join(' ')}L${to.map(round).join(' ')}`,
  stroke,
  strokeWidth,
});

/** Two decimals: less than a pixel of any screen. */
export const round = (value: number): number => Math.round(value * 100) / 100;

/** The picture as an SVG document. `font`: its font family, without double quotes; null: that of the page around it. */
export function marksSvg(
  marks: readonly Mark[],
  {
    width,
    height,
    font,
    label,
    idPrefix = '',
  }: { width: number; height: number; font: string | null; label?: string | undefined; idPrefix?: string },
): string {
  const hatches = new Set(marks.flatMap((mark) => ('hatch' in mark && mark.hatch ? [mark.hatch] : [])));
  const defs = hatches.size > 0 ? `<defs>${[...hatches].map((color) => patternOf(color, idPrefix)).join('')}</defs>` : '';
  const named = label ? attributesOf({ role: 'img', 'aria-label': label }) : '';
  return `<svg width="${width}" height="${height}" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}"${named}${font === null ? '' : ` font-family="${font}"`}>${defs}${marks.map((mark) => markSvg(mark, idPrefix)).join('')}</svg>`;
}

/** A mark as an SVG element. */
function markSvg(mark: Mark, idPrefix: string): string {
  switch (mark.kind) {
    case 'rect': {
      const { x, y, width, height, radius = 0 } = mark;
      const size = { x, y, width: Math.max(0, width), height: Math.max(0, height) };
      return element('rect', { ...size, ...(radius > 0 ? { rx: Math.min(radius, width / 2, height / 2) } : {}) }, mark, idPrefix);
    }
    case 'circle':
      return element('circle', { cx: mark.x, cy: mark.y, r: mark.radius }, mark, idPrefix);
    case 'path':
      return element('path', { d: mark.d }, mark, idPrefix);
    case 'text': {
      const { x, y, size = 12, isBold = false, anchor = 'start', fill, text } = mark;
      const attributes = {
        x,
        y,
        fill,
        'font-size': size,
        'dominant-baseline': 'central',
        ...(anchor === 'start' ? {} : { 'text-anchor': anchor }),
        ...(isBold ? { 'font-weight': 600 } : {}),
      };
      return `<text${attributesOf(attributes)}>${escaped(text)}</text>`;
    }
    case 'group':
      return `<g transform="translate(${round(mark.x)} ${round(mark.y)}) scale(${mark.scale.toFixed(4)})">${mark.marks.map((one) => markSvg(one, idPrefix)).join('')}</g>`;
  }
}

function element(name: string, shape: Attributes, paint: Paint, idPrefix: string): string {
  const { fill, opacity, fillOpacity, stroke, strokeWidth, dash, isRound = false, hatch, title, point, isPlot = false } = paint;
  const attributes = attributesOf({
    ...shape,
    fill: hatch ? `url(#${idPrefix}${idOf(hatch)})` : (fill ?? 'none'),
    ...(fillOpacity === undefined ? {} : { 'fill-opacity': fillOpacity }),
    ...(stroke ? { stroke } : {}),
    ...(stroke && strokeWidth !== undefined ? { 'stroke-width': strokeWidth } : {}),
    ...(opacity === undefined ? {} : { opacity }),
    ...(isRound ? { 'stroke-linejoin': 'round' } : {}),
    ...(isPlot ? { 'data-plot': '' } : {}),
    ...(point === undefined ? {} : { 'data-point': point }),
    ...(dash ? { 'stroke-dasharray': dash.join(' ') } : {}),
  });
  return title ? `<${name}${attributes}><title>${escaped(title)}</title></${name}>` : `<${name}${attributes}/>`;
}

const idOf = (color: string): string => `hatch${color.replace(/\W/g, '')}`;

const patternOf = (color: string, idPrefix: string): string =>
  `<pattern id="${idPrefix}${idOf(color)}" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="2" height="5" fill="${color}" fill-opacity=".5"/></pattern>`;

type Attributes = Readonly<Record<string, string | number>>;

const attributesOf = (attributes: Attributes): string =>
  Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${typeof value === 'number' ? round(value) : escaped(value)}"`)
    .join('');

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
/** Control characters and halves of surrogate pairs, which XML forbids. */
const FORBIDDEN = /(?![\t\n\r])[\p{Cc}\p{Cs}\ufffe\uffff]/gu;

const escaped = (text: string): string => text.replace(FORBIDDEN, '').replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
