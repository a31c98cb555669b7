import { createHash } from 'node:crypto';
import { type Insight, THEMES } from '@tidemark/charts';
import type { Deps } from '../../deps.js';
import { escapeXml } from '../../kernel/escape-xml.js';
import { renderTileSvg } from '../exports/index.js';
import { createKept, type Kept } from './cache.js';
import { Html } from './html.js';

/** The sizes in which charts are drawn, smallest first; a page shows the one that fits. Pixels. */
export const SIZES = {
  small: { width: 340, height: 270 },
  medium: { width: 600, height: 330 },
  large: { width: 1180, height: 380 },
};
export type Size = keyof typeof SIZES;

/** Stands for the place of a chart on its page. */
const OWN = '%place%';

/** Pixels of a row of a table of cohorts. */
const COHORT = 34;

const KEPT_MS = 10 * 60_000;
/** Charts that are held in memory. */
const MAX_BYTES = 32 * 1024 * 1024;

/** Draws charts for pages. */
export interface Charts {
  draw(insight: Insight, size: Size, place: ChartPlace): Promise<Html>;
}

export interface ChartPlace {
  /** What it shows, for who does not see it. */
  label: string;
  /** Of this place on the page. */
  id: string;
  hasLegend: boolean;
}

export function createCharts(deps: Deps): Charts {
  const kept: Kept<string> = createKept(deps.clock, {
    ms: () => KEPT_MS,
    bytesOf: (svg) => svg.length * 2,
    maxBytes: MAX_BYTES,
  });
  return {
    draw: async (insight, size, { label, id, hasLegend }) => {
      const key = createHash('sha256')
        .update(JSON.stringify([size, hasLegend, insight]))
        .digest('hex');
      const svg = await kept.get(key, async () => {
        const { width, height } = SIZES[size];
        // tables of cohorts are as high as they are long
        const tall = insight.kind === 'retention' ? Math.min(height, (insight.cohorts.length + 1) * COHORT + 30) : height;
        return forPage(await renderTileSvg(deps, insight, { width, height: tall, theme: 'light', hasLegend }));
      });
      return new Html(
        svg
          .replaceAll(OWN, `${id}-${size}`)
          // by a function: `$&` in a label is no pattern of replacement
          .replace('<svg ', () => `<svg class="${size}" role="img" aria-label="${escapeXml(label)}" `),
      );
    },
  };
}

const VARIABLES = new Map([
  ...Object.entries(THEMES.light).flatMap(([name, color]) =>
    typeof color === 'string' ? [[color, `var(--${name})`] as const] : [],
  ),
  ...THEMES.light.palette.map((color, i) => [color, `var(--c${i})`] as const),
]);

/**
 * A chart as part of a page: its colors are those of the page, its styles are attributes (a strict policy takes no others), and its ids are
 * its own.
 */
const forPage = (svg: string): string =>
  svg
    .replace(/<style[\s\S]*?<\/style>/g, '')
    .replace(/ (class|pointer-events|ecmeta_\w+|version|baseProfile|xmlns|xmlns:xlink)="[^"]*"/g, '')
    .replace(/^<svg width="[^"]*" height="[^"]*"/, '<svg')
    .replace(/ style="([^"]*)"/g, (_, style: string) => attributes(style))
    .replace(/(["(#])zr\d+-/g, `$1${OWN}-`)
    .replace(/="(#[0-9a-f]{6})"/g, (whole, color: string) => {
      const variable = VARIABLES.get(color);
      return variable ? `="${variable}"` : whole;
    })
    .replace(/>\n</g, '><');

/** The declarations of a style as attributes of SVG; the font is that of the page. */
const attributes = (style: string): string =>
  style
    .split(';')
    .map((declaration) => declaration.split(':'))
    .filter(([name]) => name && name !== 'font-family')
    .map(([name, value]) => ` ${name}="${value?.trim() ?? ''}"`)
    .join('');
