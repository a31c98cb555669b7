import type { PublicContent } from './dashboard-loader.js';

/** When the oldest result of a page was computed, epoch milliseconds; null: none was. */
export function oldestOf(contents: readonly PublicContent[]): number | null {
  const times = contents.flatMap((content) =>
    content.kind === 'insight' && content.computedAt !== null ? [Date.parse(content.computedAt)] : [],
  );
  return times.length > 0 ? Math.min(...times) : null;
}
