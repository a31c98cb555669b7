import type { Insight } from '@tidemark/charts';

/** A name for programs in words: `median_conversion_time` is `Median conversion time`. */
export const readableHead = (name: string): string => {
  const spaced = name.replaceAll('_', ' ');
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
};

/** A list with words as heads, unless its display options name its columns. */
export const withReadableHeads = (insight: Insight): Insight =>
  insight.kind === 'rows' && !insight.tableOptions ? { ...insight, columns: insight.columns.map(readableHead) } : insight;
