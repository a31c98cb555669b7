import { createHash } from 'node:crypto';
import type { createZone } from '../../analytics/index.js';
import { ENTRY_BYTES } from '../../caches/index.js';
import type { Deps } from '../../deps.js';
import { type DashboardSnapshot, describeTime, sharedDays, type TileContent, withReadableHeads } from '../exports/index.js';
import type { PublicContent, PublicDashboard } from './dashboard-loader.js';
import { oldestOf } from './oldest.js';
import type { DisplayOptions } from './store.js';

const CACHE_MS = 10 * 60_000;
/** Bytes of all cached images. */
const MAX_BYTES = 32 * 1024 * 1024;

/** Draws dashboards as PNG: `whole`, or the `preview` of a link, 1200 × 630 pixels. */
export interface DashboardPngs {
  draw(kind: PngKind, dashboard: PublicDashboard, options: DisplayOptions, timezone: string): Promise<Uint8Array>;
}

type PngKind = 'whole' | 'preview';
type Zone = ReturnType<typeof createZone>;

export function createDashboardPngs(deps: Deps): DashboardPngs {
  const cache = deps.services.caches.create<string, Uint8Array>({
    name: 'public_images',
    max: { bytes: MAX_BYTES, bytesOf: (image, key) => ENTRY_BYTES + key.length + image.byteLength },
    ttl: CACHE_MS,
  });
  return {
    draw: (kind, dashboard, options, timezone) => {
      const snapshot = snapshotOf(dashboard, options, deps.services.queryResults.zoneOf(timezone));
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

/** What a picture shows: the words, accents, dates and descriptions of the page, and how old its numbers are. */
export function snapshotOf(
  { title, description, tiles }: PublicDashboard,
  { theme, hasDetails, hasHeader, hasLegend, hasName }: DisplayOptions,
  zone: Zone,
): DashboardSnapshot {
  const computedAt = hasDetails ? oldestOf(tiles.map(({ content }) => content)) : null;
  const range = hasHeader && computedAt !== null ? sharedDays(tiles.map(({ days }) => days)) : '';
  const made = computedAt !== null && { made: describeTime({ now: computedAt, zone }), madeAt: computedAt };
  const caption = made && { project: hasName ? 'Tidemark' : null, range, filters: '', ...made };
  return {
    title,
    note: hasDetails ? description : '',
    theme: theme === 'dark' ? 'dark' : 'light',
    hasHead: hasHeader,
    hasLegend,
    ...(caption && { caption }),
    tiles: tiles.map(({ title: name, description: about, days, color, place, content }) => ({
      title: name,
      note: [hasDetails && days !== range ? days : '', metricOf(name, content)].filter(Boolean).join(', '),
      description: hasDetails ? about : '',
      color,
      place,
      content: drawnContent(content),
    })),
  };
}

const metricOf = (title: string, content: PublicContent): string =>
  content.kind === 'insight' && content.metric !== title ? (content.metric ?? '') : '';

const drawnContent = (content: PublicContent): TileContent =>
  content.kind === 'insight' ? { kind: 'insight', insight: withReadableHeads(content.insight) } : content;
