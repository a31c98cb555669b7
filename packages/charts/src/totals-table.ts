import { momentOf, unitOf } from './axes/calendar-ticks.js';
import { styleOf } from './axes/value-labels.js';
import type { Insight, Series } from './insight.js';
import { changeOf } from './kinds/number-parts.js';
import { isSorted, type ShownCell, type ShownTable, shownCell } from './shown-cells.js';
import { twinOf } from './theme/series-color.js';

type SeriesInsight = Extract<Insight, { kind: 'series' }>;

/** A series and that of the period before; one of both may be missing. */
interface Pair {
  now: Series | undefined;
  before: Series | undefined;
}

/** The totals of series, beside those of the period before and the change from them. */
export function totalsTable(insight: SeriesInsight, most: number): ShownTable {
  const pairs = pairsOf(insight);
  const isCompared = pairs.some(({ before }) => before);
  const rows = pairs.slice(0, most).map(({ now, before }) => {
    const style = (now ?? before)?.style;
    const label = now?.label ?? before?.label.replace(/ \(previous\)$/, '') ?? '';
    const own = [shownCell(label), shownCell(now?.total ?? null, style)];
    return isCompared ? [...own, shownCell(before?.total ?? null, style), changeCell(now, before)] : own;
  });
  const columns = [head(insight.by ?? 'Series', false), head('Total')];
  return {
    columns: isCompared ? [...columns, head('Before'), head('Change')] : columns,
    rows,
    count: pairs.length,
    totals: null,
    sortedBy: isSorted(pairs.map(({ now }) => now?.total ?? null)) ? 1 : null,
  };
}

const OVER_TIME: ReadonlySet<string> = new Set(['line', 'area', 'bar', 'stacked']);
/** Columns of points at most: the last of them. */
const MOST_POINTS = 100;

/** The totals of series with a column for each point that has begun; that of what is not over has a star: `Today*`. */
export function courseTable(insight: SeriesInsight, most: number): ShownTable {
  const table = totalsTable(insight, most);
  if (!OVER_TIME.has(insight.display)) return table;
  const { labels, days, unfinished = 0, upcoming = 0 } = insight;
  const names = labels.map((label) => label.replace(/, so far$/, ''));
  const years = new Set(names.map((name) => / \d{4}$/.exec(name)?.[0]));
  const [year] = years;
  const moments = days.flatMap((day) => momentOf(day) ?? []);
  const isDaily = moments.length === labels.length && unitOf(moments) === 'day' && (insight.interval ?? 'day') === 'day';
  const places = labels
    .map((_, place) => place)
    .slice(Math.max(0, labels.length - upcoming - MOST_POINTS), labels.length - upcoming);
  const headOf = (place: number) => {
    const name = names[place] ?? '';
    const short = years.size === 1 && year ? name.slice(0, -year.length) : name;
    const isOpen = place >= labels.length - unfinished;
    return head(isOpen ? `${isDaily ? 'Today' : short}*` : short);
  };
  const pairs = pairsOf(insight);
  return {
    ...table,
    leading: table.columns.length,
    columns: [...table.columns, ...places.map(headOf)],
    rows: table.rows.map((row, i) => {
      const now = pairs[i]?.now;
      return [...row, ...places.map((place) => shownCell(now?.data[place] ?? null, now && styleOf(now, insight)))];
    }),
  };
}

const head = (label: string, isNumber = true) => ({ label, isNumber, isTime: false });

/** Each series with its twin; those of the period before without one follow. */
function pairsOf({ series }: SeriesInsight): Pair[] {
  const current = series.filter(({ isPrevious }) => !isPrevious);
  const previous = series.filter(({ isPrevious }) => isPrevious);
  if (previous.length === 0 || current.length === 0) return series.map((now) => ({ now, before: undefined }));
  const twins = new Map(previous.map((before) => [before, twinOf(before, series, current)]));
  return [
    ...current.map((now) => ({ now, before: previous.find((one) => twins.get(one) === now) })),
    ...previous.flatMap((before) => (twins.get(before) ? [] : [{ now: undefined, before }])),
  ];
}

/** The change of a series from the period before, colored by whether it is good. */
function changeCell(now: Series | undefined, before: Series | undefined): ShownCell {
  if (!now || !before || before.total === 0) return shownCell(null);
  const { total, isLessBetter = false } = now;
  const { text, verdict } = changeOf(total, before.total, isLessBetter);
  return { ...shownCell(text), value: (total - before.total) / Math.abs(before.total), verdict };
}
