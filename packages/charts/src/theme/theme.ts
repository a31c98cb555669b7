import { TOKENS, type Token } from './tokens.js';

export type ThemeName = 'light' | 'dark';
/** `page`: the colors are the CSS variables of a page, which may follow the system's theme. */
export type ChartTheme = ThemeName | 'page';

/** CSS colors. */
export interface Theme {
  background: string;
  card: string;
  border: string;
  /** The zero line. */
  borderStrong: string;
  text: string;
  /** Labels. */
  text2: string;
  /** Axes, notes. */
  muted: string;
  grid: string;
  link: string;
  /** Marks of series, in their order; no color is used twice. */
  palette: readonly string[];
  /** The same hues for words. */
  paletteText: readonly string[];
  /** Marks of everything that has no color of its own: "Other", control. */
  other: string;
  /** Marks of events without a value: another gray, because both may stand in one chart. */
  none: string;
  /** From zero to the largest value, for retention and maps, and the text on each. */
  scale: readonly string[];
  scaleText: readonly string[];
  /** Words about changes, and the areas behind them. */
  good: string;
  goodSoft: string;
  bad: string;
  badSoft: string;
  /** Words that doubt the numbers. */
  warn: string;
  /** Marks of changes. */
  up: string;
  down: string;
  flat: string;
  /** Marks of a lifecycle, by status. */
  lifecycle: Readonly<Record<string, string>>;
}

/** The font family: the bundled font first, then the fallbacks for letters that it lacks. */
export const FONT = "'DejaVu Sans', sans-serif";

const SERIES = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7', 'c8'] as const;
const STEPS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] as const;

const themeOf = (color: (token: Token) => string): Theme => ({
  background: color('bg'),
  card: color('surface'),
  border: color('border'),
  borderStrong: color('border-strong'),
  text: color('text'),
  text2: color('text-2'),
  muted: color('text-3'),
  grid: color('grid'),
  link: color('accent-text'),
  palette: SERIES.map(color),
  paletteText: SERIES.map((name) => color(`${name}-text`)),
  other: color('c-other'),
  none: color('c-none'),
  scale: STEPS.map((step) => color(`seq-${step}`)),
  scaleText: STEPS.map((step) => color(`seq-ink-${step}`)),
  good: color('good'),
  goodSoft: color('good-soft'),
  bad: color('bad'),
  badSoft: color('bad-soft'),
  warn: color('warn'),
  up: color('up'),
  down: color('down'),
  flat: color('flat'),
  lifecycle: {
    new: color('life-new'),
    returning: color('life-returning'),
    resurrecting: color('life-resurrecting'),
    dormant: color('life-dormant'),
  },
});

export const THEMES: Readonly<Record<ChartTheme, Theme>> = {
  light: themeOf((token) => TOKENS.light[token]),
  dark: themeOf((token) => TOKENS.dark[token]),
  page: themeOf((token) => `var(--${token})`),
};

/** Dark or white text, whichever has more contrast on a background color (`#rrggbb`). */
export function readableOn(color: string): string {
  const dark = TOKENS.light.text;
  return contrast(color, dark) >= contrast(color, '#ffffff') ? dark : '#ffffff';
}

/** The contrast of two colors (`#rrggbb`) by WCAG 2: 1 to 21. */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = linearOf(color);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Red, green and blue of `#rrggbb` as shares of light, without the gamma of sRGB. */
export const linearOf = (color: string): number[] =>
  [1, 3, 5]
    .map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
    .map((share) => (share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4));
