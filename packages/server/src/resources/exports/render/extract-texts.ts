/** A text in an SVG image and its position; pixels. */
export interface PlacedText {
  text: string;
  x: number;
  y: number;
  size: number;
  /** Which part of the text is at `x`. */
  anchor: 'start' | 'middle' | 'end';
  /** Whether the middle of the text is at `y` instead of its baseline. */
  isCentral: boolean;
}

type Point = readonly [x: number, y: number];

const TAGS = /<(\/?)(svg|g|text|tspan)\b([^>]*?)(\/?)>|<[^>]*>|([^<]+)/g;
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  '#39': "'",
  nbsp: '\u00a0',
};

/** The texts of an SVG that `renderSvg` or `dashboardSvg` wrote, in their order. These translate groups and scale nothing. */
export function extractTexts(svg: string): PlacedText[] {
  const texts: PlacedText[] = [];
  /** Origins of the open elements, outermost first. */
  const origins: Point[] = [];
  let open: PlacedText | null = null;
  for (const [, isEnd, name, attributes = '', isEmpty, content] of svg.matchAll(TAGS)) {
    if (content !== undefined) {
      if (open) open.text += decoded(content);
    } else if (name === undefined) continue;
    else if (isEnd) {
      if (name === 'text' && open) {
        if (open.text.trim()) texts.push(open);
        open = null;
      }
      if (name !== 'tspan') origins.pop();
    } else if (name === 'tspan') {
      if (open) open.size = sizeOf(attributes) ?? open.size;
    } else {
      const origin = moved(origins.at(-1) ?? [0, 0], attributes, name !== 'g');
      if (name === 'text') open = textAt(origin, attributes);
      if (!isEmpty) origins.push(origin);
    }
  }
  return texts;
}

const textAt = ([x, y]: Point, attributes: string): PlacedText => {
  const anchor = attributeOf(attributes, 'text-anchor');
  return {
    text: '',
    x,
    y,
    size: sizeOf(attributes) ?? 12,
    anchor: anchor === 'middle' || anchor === 'end' ? anchor : 'start',
    isCentral: attributeOf(attributes, 'dominant-baseline') === 'central',
  };
};

/** The origin inside an element. `hasPlace`: whether the element has `x` and `y` besides its transform. */
function moved([x, y]: Point, attributes: string, hasPlace: boolean): Point {
  const transform = attributeOf(attributes, 'transform') ?? '';
  const [, kind, list = ''] = /^(translate|matrix)\(([^)]*)\)/.exec(transform) ?? [];
  const [dx = 0, dy = 0] = (list.match(/-?[\d.]+(?:e-?\d+)?/g) ?? []).map(Number).slice(kind === 'matrix' ? 4 : 0);
  const at = (name: string) => (hasPlace ? Number(attributeOf(attributes, name) ?? 0) : 0);
  return [x + dx + at('x'), y + dy + at('y')];
}

const attributeOf = (attributes: string, name: string): string | undefined =>
  new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(attributes)?.[1];

function sizeOf(attributes: string): number | undefined {
  const [, size] = /font-size[:=]"?([\d.]+)/.exec(attributes) ?? [];
  return size === undefined ? undefined : Number(size);
}

const decoded = (text: string): string => text.replace(/&([a-z]+|#39);/g, (whole, name: string) => ENTITIES[name] ?? whole);
