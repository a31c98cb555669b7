import type { Faces } from './faces.js';
import { layText, type PdfDocument, type PdfTextStyle } from './pdf-text.js';
import { readSvg, type SvgElement, textOf } from './svg-tree.js';

/** Attributes that elements inherit from their parents. */
const INHERITED = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-opacity',
  'stroke-dasharray',
  'stroke-linecap',
  'stroke-linejoin',
  'font-size',
  'font-weight',
  'font-style',
  'font-family',
  'text-anchor',
  'dominant-baseline',
  'text-decoration',
] as const;
type Style = Readonly<Partial<Record<(typeof INHERITED)[number], string>>>;

/** Elements that others refer to, or that people do not see. */
const UNDRAWN: ReadonlySet<string> = new Set(['defs', 'title', 'desc', 'clipPath', 'pattern', 'linearGradient', 'mask']);
/** From the middle of a line of text down to its baseline, relative to the size of the font. */
const MIDDLE = 0.346;

/**
 * Draws an SVG into a PDF, in the current coordinate system: shapes as vectors, texts as text. Knows what `@tidemark/charts` and this folder
 * write: nested `svg`, groups, transforms, clip paths, shapes, hatches and lines of text. A pattern becomes diagonal lines in its color.
 */
export function drawSvg(document: PdfDocument, svg: string, faces: Faces): void {
  const root = readSvg(svg);
  const named = new Map<string, SvgElement>();
  collect(root, named);
  new Pen(document, faces, named).draw(root, {});
}

function collect(element: SvgElement, named: Map<string, SvgElement>): void {
  const { id } = element.attributes;
  if (id !== undefined) named.set(id, element);
  for (const child of element.children) if (typeof child !== 'string') collect(child, named);
}

class Pen {
  readonly #document: PdfDocument;
  readonly #faces: Faces;
  readonly #named: ReadonlyMap<string, SvgElement>;

  constructor(document: PdfDocument, faces: Faces, named: ReadonlyMap<string, SvgElement>) {
    this.#document = document;
    this.#faces = faces;
    this.#named = named;
  }

  draw(element: SvgElement, inherited: Style): void {
    const { name, attributes, children } = element;
    if (UNDRAWN.has(name)) return;
    const style = styleOf(attributes, inherited);
    const clip = this.#referred(attributes['clip-path']);
    const isMoved = attributes['transform'] !== undefined || name === 'svg' || clip !== undefined;
    if (isMoved) this.#document.save();
    for (const matrix of matricesOf(attributes['transform'])) this.#document.transform(...matrix);
    if (name === 'svg') this.#document.translate(number(attributes['x']), number(attributes['y']));
    if (clip) this.#clip(clip);
    if (name === 'text') this.#text(element, style);
    else if (name === 'g' || name === 'svg') {
      for (const child of children) if (typeof child !== 'string') this.draw(child, style);
    } else if (outline(this.#document, element)) this.#paint(element, style);
    if (isMoved) this.#document.restore();
  }

  #clip({ children }: SvgElement): void {
    for (const child of children) if (typeof child !== 'string' && outline(this.#document, child)) this.#document.clip();
  }

  #paint(element: SvgElement, style: Style): void {
    const opacity = number(element.attributes['opacity'], 1);
    const fill = this.#colorOf(style.fill ?? '#000000', opacity * number(style['fill-opacity'], 1));
    const stroke = this.#colorOf(style.stroke ?? 'none', opacity * number(style['stroke-opacity'], 1));
    const document = this.#document;
    if (stroke) {
      document.lineWidth(number(style['stroke-width'], 1));
      document.lineCap(style['stroke-linecap'] === 'round' ? 'round' : 'butt');
      document.lineJoin(
        style['stroke-linejoin'] === 'round' ? 'round' : style['stroke-linejoin'] === 'bevel' ? 'bevel' : 'miter',
      );
      const dashes = numbersOf(style['stroke-dasharray'] ?? '').filter((length) => length > 0);
      if (dashes.length > 1) document.dash(dashes[0] ?? 1, { space: dashes[1] ?? 1 });
      else if (dashes.length === 1) document.dash(dashes[0] ?? 1, {});
      else document.undash();
      document.strokeColor(stroke.color, stroke.opacity);
    }
    if (fill?.isHatch) {
      const pattern = document.pattern([0, 0, TILE, TILE], TILE, TILE, HATCH);
      document.fillOpacity(fill.opacity);
      document.fill([pattern, fill.color]);
      // a pattern leaves its color space behind
      document.fillColor('#000000', 1);
      if (stroke && outline(document, element)) document.stroke();
      return;
    }
    if (fill) document.fillColor(fill.color, fill.opacity);
    if (fill && stroke) document.fillAndStroke();
    else if (fill) document.fill();
    else if (stroke) document.stroke();
    // without a painting operator the path would go on in the next one
    else document.addContent('n');
  }

  /** A color and its opacity. Null: nothing is painted. */
  #colorOf(paint: string, opacity: number): Color | null {
    if (paint === 'none' || paint === 'transparent' || opacity === 0) return null;
    const target = this.#referred(paint);
    if (target) {
      const first = target.children.find((child) => typeof child !== 'string');
      const { fill, stroke, 'fill-opacity': within, 'stop-color': stop } = typeof first === 'object' ? first.attributes : {};
      const color = [fill, stroke, stop].find((one) => one !== undefined && one !== 'none');
      const inner = color === undefined ? null : this.#colorOf(color, opacity * number(within, 1));
      return inner && { ...inner, isHatch: target.name === 'pattern' };
    }
    const [red = 0, green = 0, blue = 0, alpha = 1] = paint.startsWith('rgb') ? numbersOf(paint) : [];
    if (!paint.startsWith('rgb')) return { color: paint, opacity, isHatch: false };
    return alpha === 0 ? null : { color: [red, green, blue], opacity: opacity * alpha, isHatch: false };
  }

  #referred(reference: string | undefined): SvgElement | undefined {
    const [, id] = /^url\(['"]?#([^'")]+)/.exec(reference ?? '') ?? [];
    return id === undefined ? undefined : this.#named.get(id);
  }

  #text(element: SvgElement, style: Style): void {
    const spans = element.children
      .map((child) =>
        typeof child === 'string' ? { text: child, style } : { text: textOf(child), style: styleOf(child.attributes, style) },
      )
      .filter(({ text }) => text.trim() !== '')
      .map((span) => ({ ...span, line: layText(this.#document, span.text, textStyleOf(span.style), this.#faces) }));
    const { x, y, dx, dy, opacity } = element.attributes;
    const width = spans.reduce((sum, { line }) => sum + line.width, 0);
    const share = style['text-anchor'] === 'end' ? 1 : style['text-anchor'] === 'middle' ? 0.5 : 0;
    let at = number(x) + number(dx) - share * width;
    for (const { style: own, line } of spans) {
      const { size } = textStyleOf(own);
      const middle = /central|middle/.test(own['dominant-baseline'] ?? '') ? MIDDLE * size : 0;
      const color = this.#colorOf(own.fill ?? '#000000', number(opacity, 1) * number(own['fill-opacity'], 1));
      const baseline = number(y) + number(dy) + middle;
      if (color) {
        this.#document.fillColor(color.color, color.opacity);
        line.write(at, baseline);
        if (own['text-decoration'] === 'line-through') this.#document.rect(at, baseline - size * 0.3, line.width, 1).fill();
      }
      at += line.width;
    }
  }
}

interface Color {
  color: string | [number, number, number];
  opacity: number;
  isHatch: boolean;
}

/** Side of a tile of a hatch, whose lines are 5 apart. */
const TILE = 7.07;
/** Operators of a tile: the diagonal, and the corners that those of its neighbors cover. */
const HATCH = `1.9 w -1 -1 m ${TILE + 1} ${TILE + 1} l S -1 ${TILE - 1} m 1 ${TILE + 1} l S ${TILE - 1} -1 m ${TILE + 1} 1 l S`;

function styleOf(attributes: SvgElement['attributes'], inherited: Style): Style {
  const own: Partial<Record<(typeof INHERITED)[number], string>> = { ...inherited };
  for (const name of INHERITED) {
    const value = attributes[name];
    if (value !== undefined) own[name] = value;
  }
  return own;
}

const textStyleOf = (style: Style): PdfTextStyle => ({
  size: number(style['font-size'], 12),
  isBold: /bold|[6-9]\d\d/.test(style['font-weight'] ?? ''),
  isSlanted: style['font-style'] === 'italic',
  isCode: /mono/i.test(style['font-family'] ?? ''),
});

const number = (text: string | undefined, otherwise = 0): number => {
  const value = Number.parseFloat(text ?? '');
  return Number.isNaN(value) ? otherwise : value;
};
const numbersOf = (text: string): number[] => (text.match(/-?[\d.]+(?:e-?\d+)?/g) ?? []).map(Number);

type Matrix = [number, number, number, number, number, number];

/** The matrices of a list of transforms, outermost first. */
function matricesOf(transforms = ''): Matrix[] {
  return [...transforms.matchAll(/(\w+)\(([^)]*)\)/g)].map(([, name, list = '']): Matrix => {
    const [a = 0, b, c, d = 1, e = 0, f = 0] = numbersOf(list);
    if (name === 'translate') return [1, 0, 0, 1, a, b ?? 0];
    if (name === 'scale') return [a, 0, 0, b ?? a, 0, 0];
    if (name === 'matrix') return [a, b ?? 0, c ?? 0, d, e, f];
    const [cos, sin] = [Math.cos((a * Math.PI) / 180), Math.sin((a * Math.PI) / 180)];
    const [x, y] = [b ?? 0, c ?? 0];
    return [cos, sin, -sin, cos, x - x * cos + y * sin, y - x * sin - y * cos];
  });
}

/** Makes the outline of a shape the current path. False: the element is no shape, or has no size. */
function outline(document: PdfDocument, { name, attributes }: SvgElement): boolean {
  const at = (key: string) => number(attributes[key]);
  switch (name) {
    case 'rect': {
      const [width, height] = [at('width'), at('height')];
      if (width <= 0 || height <= 0) return false;
      const radius = Math.min(Math.max(at('rx'), at('ry')), width / 2, height / 2);
      if (radius > 0) document.roundedRect(at('x'), at('y'), width, height, radius);
      else document.rect(at('x'), at('y'), width, height);
      return true;
    }
    case 'circle':
      document.circle(at('cx'), at('cy'), at('r'));
      return true;
    case 'ellipse':
      document.ellipse(at('cx'), at('cy'), at('rx'), at('ry'));
      return true;
    case 'line':
      document.moveTo(at('x1'), at('y1')).lineTo(at('x2'), at('y2'));
      return true;
    case 'polyline':
    case 'polygon': {
      const points = attributes['points']?.trim();
      if (points) document.path(`M${points}${name === 'polygon' ? 'Z' : ''}`);
      return Boolean(points);
    }
    case 'path':
      if (attributes['d']) document.path(attributes['d']);
      return Boolean(attributes['d']);
    default:
      return false;
  }
}
