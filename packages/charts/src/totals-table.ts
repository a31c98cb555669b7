import type { Insight, Series } from './insight.js';
import { changeOf } from './kinds/number-parts.js';
import { isSorted, type ShownCell, type ShownTable, shownCell } from './shown-cells.js';
import { twinOf } from './theme/series-color.js';

/** The totals of series, beside those of the period before and the change from them. */
export function totalsTable({ series, display }: Extract<Insight, { kind: 'series' }>, most: number): ShownTable {
  const current = series.filter(({ isPrevious }) => !isPrevious);
  const previous = series.filter(({ isPrevious }) => isPrevious);
  const isCompared = previous.length > 0 && current.length > 0;
  const twins = new Map(previous.map((before) => [before, twinOf(before, series, current)]));
  const pairs = isCompared
    ? [
        ...current.map((now) => ({ now, before: previous.find((one) => twins.get(one) === now) })),
        ...previous.flatMap((before) => (twins.get(before) ? [] : [{ now: undefined, before }])),
      ]
    : series.map((now) => ({ now, before: undefined }));
  const rows = pairs.slice(0, most).map(({ now, before }) => {
    const style = (now ?? before)?.style;
    const label = now?.label ?? before?.label.replace(/ \(previous\)$/, '') ?? '';
    const own = [shownCell(label), shownCell(now?.total ?? null, style)];
    return isCompared ? [...own, changeCell(now, before), shownCell(before?.total ?? null, style)] : own;
  });
  const head = (label: string, isNumber = true) => ({ label, isNumber, isTime: false });
  const columns = [head(display === 'map' ? 'Country' : 'Series', false), head('Total')];
  return {
    columns: isCompared ? [...columns, head('Change'), head('Before')] : columns,
    rows,
    count: pairs.length,
    totals: null,
    sortedBy: isSorted(pairs.map(({ now }) => now?.total ?? null)) ? 1 : null,
  };
}

/** The change of a series from the period before, colored by whether it is good. */
function changeCell(now: Series | undefined, before: Series | undefined): ShownCell {
  if (!now || !before || before.total === 0) return shownCell(null);
  const { total, isLessBetter = false } = now;
  const { text, verdict } = changeOf(total, before.total, isLessBetter);
  return { ...shownCell(text), value: (total - before.total) / Math.abs(before.total), verdict };
}
