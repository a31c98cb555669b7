import { createHash } from 'node:crypto';
import { ENTRY_BYTES } from '../../caches/index.js';
import type { Deps } from '../../deps.js';
import { type FinishedPage, finishPage } from '../../http/page/finished-page.js';
import type { OpenDashboard, VersionedContent } from './dashboard-loader.js';
import type { PageOptions } from './page.js';

/** Bytes of all cached pages. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Bytes of a cached page per character of its text: the text and what it is compressed to. */
const BYTES_PER_CHARACTER = 1.3;

/** Finished pages by everything that they show, so that no page outlives a change. Access is checked before a page is looked up. */
export interface PageCache {
  /** The page of a dashboard; undefined: it was not sent yet, or some of its results are being computed. */
  find(dashboard: OpenDashboard, options: PageOptions): FinishedPage | undefined;
  /** Passes the parts of a page on and stores them with the last one. */
  stored(parts: AsyncIterable<string>, dashboard: OpenDashboard, options: PageOptions): AsyncGenerator<string>;
}

export function createPageCache(deps: Deps): PageCache {
  const cache = deps.services.caches.create<string, FinishedPage>({
    name: 'public_pages',
    max: { bytes: MAX_BYTES, bytesOf: ({ length }, key) => ENTRY_BYTES + key.length + length * BYTES_PER_CHARACTER },
  });
  return {
    find: (dashboard, options) => {
      const known = dashboard.tiles.flatMap(({ result }) => result.known ?? []);
      return known.length === dashboard.tiles.length ? cache.get(keyOf(dashboard, known, options)) : undefined;
    },
    stored: async function* (parts, dashboard, options) {
      const sent: string[] = [];
      for await (const part of parts) {
        sent.push(part);
        yield part;
      }
      const results = await Promise.all(dashboard.tiles.map(({ result }) => result.content));
      cache.set(keyOf(dashboard, results, options), finishPage(sent.join(''), options.nonce));
    },
  };
}

/** Covers every input of a page but its nonce. */
function keyOf(
  { tiles, ...dashboard }: OpenDashboard,
  results: readonly VersionedContent[],
  { nonce: _, ...options }: PageOptions,
): string {
  const frames = tiles.map(({ content: _content, result: _result, ...frame }) => frame);
  const versions = results.map(({ version }) => version);
  return createHash('sha256')
    .update(JSON.stringify([dashboard, frames, versions, options]))
    .digest('base64');
}
