import type { TrendsSeries } from '../analytics/kinds/trends/line.js';
import type { QueryResult } from '../analytics/query.js';

/** The lines of a TrendsQuery's result. */
export function trendsLines({ results }: QueryResult): TrendsSeries[] {
  const lines: readonly unknown[] = Array.isArray(results) ? results : [];
  return lines.filter((line): line is TrendsSeries => typeof line === 'object' && line !== null && 'action' in line);
}
