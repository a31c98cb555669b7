import { describe, expect, test } from 'vitest';
import { renderSvg } from './render-svg.js';
import { KINDS, SIZES, STATES } from './specimen.js';
import { BOLD, roughly } from './text/measure.js';
import { contrast, THEMES, type ThemeName } from './theme/theme.js';
import { TOKENS } from './theme/tokens.js';

interface Box {
  text: string;
  left: number;
  right: number;
  top: number;
  bottom: number;
  fill: string;
  size: number;
  /** The color behind it. */
  behind: string;
}

const attribute = (tag: string, name: string): string | undefined =>
  new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? new RegExp(`[;"]${name}:([^;"]*)`).exec(tag)?.[1];
const numberIn = (tag: string, name: string): number => Number.parseFloat(attribute(tag, name) ?? '0');

/** A color over another one. */
function over(color: string, opacity: number, below: string): string {
  const channel = (hex: string, at: number) => Number.parseInt(hex.slice(at, at + 2), 16);
  const mixed = [1, 3, 5].map((at) => Math.round(channel(color, at) * opacity + channel(below, at) * (1 - opacity)));
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

/** The texts of a picture with their estimated places and the rectangles behind them. */
function boxesOf(svg: string, theme: ThemeName): Box[] {
  const rects: { x: number; y: number; width: number; height: number; fill: string; opacity: number }[] = [];
  const boxes: Box[] = [];
  for (const [tag, content] of [...svg.matchAll(/<rect[^>]*>|<text[^>]*>([^<]*)<\/text>/g)]) {
    const [, dx = '0', dy = '0'] = /translate\(([-\d.e]+)[ ,]?([-\d.e]+)?/.exec(tag) ?? [];
    const [x, y] = [numberIn(tag, 'x') + Number(dx), numberIn(tag, 'y') + Number(dy)];
    if (content === undefined) {
      const fill = attribute(tag, 'fill') ?? '';
      const opacity = Number(attribute(tag, 'fill-opacity') ?? 1);
      const [width, height] = [numberIn(tag, 'width'), numberIn(tag, 'height')];
      if (/^#[0-9a-f]{6}$/.test(fill)) rects.push({ x, y, width, height, fill, opacity });
      continue;
    }
    const size = numberIn(tag, 'font-size') || 12;
    const isBold = /font-weight[:="]+(bold|600)/.test(tag);
    const text = content.replace(/&#?\w+;/g, 'x');
    const width = roughly(text, size) * (isBold ? BOLD : 1);
    const anchor = attribute(tag, 'text-anchor');
    const left = anchor === 'end' ? x - width : anchor === 'middle' ? x - width / 2 : x;
    const behind = rects
      .filter((rect) => y >= rect.y && y <= rect.y + rect.height && x >= rect.x && x <= rect.x + rect.width)
      .reduce((below, { fill, opacity }) => over(fill, opacity, below), THEMES[theme].card);
    const half = size * 0.42;
    boxes.push({
      text,
      left,
      right: left + width,
      top: y - half,
      bottom: y + half,
      fill: attribute(tag, 'fill') ?? '',
      size,
      behind,
    });
  }
  return boxes.filter(({ text }) => text.trim() !== '');
}

describe.each(Object.entries(KINDS))('%s', (kind, insightOf) => {
  test.each(SIZES)('in $columns columns has no text that is cut off or covers another', ({ width, height }) => {
    const faults = STATES.flatMap((state) => {
      const boxes = boxesOf(renderSvg(insightOf(state), { width, height }), 'light');
      const outside = boxes
        .filter(({ left, right, top, bottom }) => left < -1 || right > width + 1 || top < -1 || bottom > height + 1)
        .map(({ text }) => `${state}: "${text}" is cut off`);
      const covered = boxes.flatMap((a, i) =>
        boxes
          .slice(0, i)
          .filter((b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1)
          .filter((b) => Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1)
          .map((b) => `${state}: "${a.text}" covers "${b.text}"`),
      );
      return [...outside, ...covered];
    });
    expect(faults).toEqual([]);
  });

  test.each(['light', 'dark'] as const)('has readable texts in the %s theme, and follows the look', (theme) => {
    const faults = STATES.flatMap((state) => {
      const svg = renderSvg(insightOf(state), { width: 560, height: 300, theme });
      const unreadable = boxesOf(svg, theme)
        .filter(({ fill, behind, size }) => contrast(fill, behind) < (size >= 24 ? 3 : 4.5))
        .map(({ text, fill, behind }) => `"${text}" ${fill} on ${behind}`);
      return [...unreadable, ...offLook(svg, theme, kind)].map((fault) => `${state}: ${fault}`);
    });
    expect(faults).toEqual([]);
  });
});

/** Dashes that mean what is not over, and the borders of what has left and the dots of annotations. */
const DASHES: Readonly<Record<string, RegExp>> = {
  '4 3': /./,
  '3 2': /^(number|paths)$/,
  '2 2': /^retention/,
  '1 3': /annotations$/,
};
const DASH = / stroke-dasharray="([^"]*)"/g;
const SIZES_OF_TYPE = new Set([11, 12, 13, 32, 40]);

/** What breaks a rule of the look that can be seen in any picture. */
function offLook(svg: string, theme: ThemeName, kind: string): string[] {
  const known = new Set(Object.values(TOKENS[theme]));
  const texts = [...svg.matchAll(/<text([^>]*)>([^<]*)<\/text>/g)].map(([, tag = '', text = '']) => ({ tag, text }));
  const words = [...texts.map(({ text }) => text), ...[...svg.matchAll(/<title>([^<]*)/g)].map(([, title = '']) => title)];
  const colors = [...svg.matchAll(/(?:fill|stroke)="(#[^"]*)"/g)].map(([, color = '']) => color);
  const sizes = texts.map(({ tag }) => numberIn(tag, 'font-size'));
  const marks = texts.length > 2 && !svg.includes('<title>') ? ['no mark has a title'] : [];
  return [
    ...colors.filter((color) => !known.has(color)).map((color) => `${color} is no color of the look`),
    ...texts.filter(({ tag }) => / opacity=/.test(tag)).map(({ text }) => `"${text}" is dimmed`),
    ...sizes.filter((size) => !SIZES_OF_TYPE.has(size) && !/^share/.test(kind)).map((size) => `letters of ${size} pixels`),
    ...words.filter((text) => /(^|[\s(:])-[\d.]/.test(text)).map((text) => `"${text}" has a hyphen for a minus`),
    ...words.filter((text) => /\d{4}-\d\d|\d-[A-Z][a-z]{2}-\d/.test(text)).map((text) => `"${text}" has a date for machines`),
    ...words.filter((text) => /\b(undefined|NaN|null|Infinity)\b/.test(text)).map((text) => `"${text}" is no word`),
    ...[...svg.matchAll(DASH)].filter(([, dash = '']) => !DASHES[dash]?.test(kind)).map(([, dash]) => `dashes of ${dash}`),
    ...(kind === 'table' || kind === 'table with the period before' ? [] : marks),
    ...offAxis(svg),
  ];
}

/** The numbers left of a plot: two to five, all different, in one form; no more than one line is strong. */
function offAxis(svg: string): string[] {
  const [, left = ''] = /<rect x="([\d.]+)"[^>]*data-plot/.exec(svg) ?? [];
  if (!left) return [];
  const ticks = [...svg.matchAll(/<text x="([\d.]+)"[^>]*font-size="11"[^>]*text-anchor="end"[^>]*>([^<]*)</g)].flatMap(
    ([, x, text = '']) => (Number(x) < Number(left) ? [text] : []),
  );
  const forms = new Set(
    ticks
      .filter((text) => !/^0\D*$/.test(text))
      .map((text) => /\d(K|M|B|T|E\d+)?/.exec(text.replace(/.*(?=\d)/, ''))?.[1]?.[0] ?? ''),
  );
  const strong = svg.split(`stroke="${TOKENS.light['border-strong']}"`).length - 1;
  return [
    ...(ticks.length < 2 || ticks.length > 5 ? [`${ticks.length} ticks`] : []),
    ...(new Set(ticks).size < ticks.length ? [`ticks repeat: ${ticks}`] : []),
    ...(forms.size > 1 && !ticks.some((text) => /[a-z]$/.test(text)) ? [`ticks of several forms: ${ticks}`] : []),
    ...(ticks.some((text) => /\d\d,\d{3}(?!,\d{3}d)/.test(text)) ? [`ticks that are too long: ${ticks}`] : []),
    ...(strong > 1 ? [`${strong} strong lines`] : []),
  ];
}
