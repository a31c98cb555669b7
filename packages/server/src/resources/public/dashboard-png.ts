import { createHash } from 'node:crypto';
import { ENTRY_BYTES } from '../../caches/index.js';
import type { Deps } from '../../deps.js';
import type { DashboardSnapshot, TileContent } from '../exports/index.js';
import type { PublicContent, PublicDashboard } from './dashboard-loader.js';
import type { DisplayOptions } from './store.js';

const CACHE_MS = 10 * 60_000;
/** Bytes of all cached images. */
const MAX_BYTES = 32 * 1024 * 1024;

/** Draws dashboards as PNG: `whole`, or the `preview` of a link, 1200 × 630 pixels. */
export interface DashboardPngs {
  draw(kind: PngKind, dashboard: PublicDashboard, options: DisplayOptions): Promise<Uint8Array>;
}

type PngKind = 'whole' | 'preview';

export function createDashboardPngs(deps: Deps): DashboardPngs {
  const cache = deps.services.caches.create<string, Uint8Array>({
    name: 'public_images',
    max: { bytes: MAX_BYTES, bytesOf: (image, key) => ENTRY_BYTES + key.length + image.byteLength },
    ttl: CACHE_MS,
  });
  return {
    draw: (kind, dashboard, options) => {
      const snapshot = snapshotOf(dashboard, options);
      const { renderer } = deps.services;
      const key = createHash('sha256')
        .update(JSON.stringify([kind, options.hasName, snapshot]))
        .digest('base64');
      return cache.getOrLoad(key, async () => {
        const drawn = kind === 'whole' ? renderer.png(snapshot) : renderer.preview(snapshot, options.hasName);
        return (await drawn).bytes;
      });
    },
  };
}

const snapshotOf = (
  { title, description, tiles }: PublicDashboard,
  { theme, hasDetails, hasHeader, hasLegend }: DisplayOptions,
): DashboardSnapshot => ({
  title,
  note: hasDetails ? description : '',
  theme: theme === 'dark' ? 'dark' : 'light',
  hasHead: hasHeader,
  hasLegend,
  tiles: tiles.map(({ title: name, days, place, content }) => ({
    title: name,
    note: hasDetails ? days : '',
    place,
    content: drawnContent(content),
  })),
});

function drawnContent(content: PublicContent): TileContent {
  return content.kind === 'insight' ? { kind: 'insight', insight: content.insight } : content;
}
