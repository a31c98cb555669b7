import { createHash } from 'node:crypto';
import type { Insight } from '@tidemark/charts';
import { ENTRY_BYTES } from '../../caches/index.js';
import type { Deps } from '../../deps.js';
import { Html } from '../../http/html.js';
import { escapeXml } from '../../kernel/display-text.js';
import type { Size } from './chart-sizes.js';

/** Placeholder in cached charts for the prefix of their ids, which are unique on a page. */
const ID_PREFIX = '%place%';

const CACHE_MS = 10 * 60_000;
/** Bytes of all cached charts. */
const MAX_BYTES = 32 * 1024 * 1024;

/** Draws charts of public pages; cached by insight and size. */
export interface Charts {
  draw(insight: Insight, size: Size, place: ChartOptions): Promise<Html>;
}

export interface ChartOptions {
  /** Text for screen readers. */
  label: string;
  /** Unique on the page. */
  id: string;
  hasLegend: boolean;
}

export function createCharts(deps: Deps): Charts {
  const cache = deps.services.caches.create<string, string>({
    name: 'public_charts',
    max: { bytes: MAX_BYTES, bytesOf: (svg, key) => ENTRY_BYTES + key.length + svg.length * 2 },
    ttl: CACHE_MS,
  });
  return {
    draw: async (insight, size, { label, id, hasLegend }) => {
      const key = createHash('sha256')
        .update(JSON.stringify([size, hasLegend, insight]))
        .digest('hex');
      const svg = await cache.getOrLoad(key, async () =>
        forPage(await deps.services.renderer.svg(insight, { ...size, theme: 'page', hasLegend, idPrefix: ID_PREFIX })),
      );
      return new Html(
        svg
          .replaceAll(ID_PREFIX, `${id}-${size.width}-`)
          // a function, because `$&` in a replacement text has a meaning
          .replace('<svg ', () => `<svg class="v${size.width}" role="img" aria-label="${escapeXml(label)}" `),
      );
    },
  };
}

/** What the SVG needs as a document of its own; its size stands in the styles of the page. */
const forPage = (svg: string): string => svg.replace(/^<svg width="[^"]*" height="[^"]*" xmlns="[^"]*"/, '<svg');
