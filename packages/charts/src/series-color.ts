import type { Insight } from './insight.js';

type SeriesInsight = Extract<Insight, { kind: 'series' }>;

/** Palette index of each lifecycle status. */
const STATUS_COLORS: Record<string, number> = { new: 0, returning: 2, resurrecting: 4, dormant: 3 };

/** The color of the i-th series. A previous period has the color of its current one, provided both come in the same order. */
export function colorOf(insight: SeriesInsight, index: number, palette: readonly string[]): string {
  const { status, isPrevious, color } = insight.series[index] ?? {};
  const own = color ?? (status && palette[STATUS_COLORS[status] ?? -1]);
  if (own) return own;
  const peers = insight.series.filter((one) => one.isPrevious === isPrevious);
  const place = peers.findIndex(({ label }) => label === insight.series[index]?.label);
  return palette[place % palette.length] ?? '#888888';
}
