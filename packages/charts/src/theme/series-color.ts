import type { Insight, Series } from '../insight.js';
import { contrast, readableOn, type Theme } from './theme.js';

type SeriesInsight = Extract<Insight, { kind: 'series' }>;

/** Breakdown values without a color of their own: all the values that a query leaves out, and events without a value. */
export const OTHER = '(other)';
export const NONE = '(none)';

/**
 * The color of the marks of the i-th series: its own, that of its lifecycle status, or that of its place in the palette. Gray: what
 * has no value, and all beyond the palette.
 */
export function colorOf(insight: SeriesInsight, index: number, theme: Theme): string {
  const one = insight.series[index];
  const own = one?.color ?? theme.lifecycle[one?.status ?? ''];
  return own ?? grayOf(one?.breakdown ?? null, theme) ?? theme.palette[placeOf(insight, index)] ?? theme.other;
}

/** The gray of a breakdown value that is none of the visitors'; null: it has a color. */
export const grayOf = (breakdown: string | null, { other, none }: Theme): string | null =>
  breakdown === OTHER ? other : breakdown === NONE ? none : null;

/** The same hue for words, readable on a card. */
export function wordColorOf(insight: SeriesInsight, index: number, theme: Theme): string {
  const one = insight.series[index];
  if (one?.color) return theme.card.startsWith('#') && contrast(one.color, theme.card) >= 4.5 ? one.color : theme.text;
  if (one?.status) return theme.text;
  return theme.paletteText[placeOf(insight, index)] ?? theme.muted;
}

/** Colors of series that need dark words in both themes: the third, sixth and seventh of the palette, and that of others. */
const PALE = [2, 5, 6] as const;

/** Ink for words on a mark in one of the colors of {@link colorOf}. */
export function inkOn(color: string, theme: Theme): string {
  const { palette, lifecycle, other, none, scaleText } = theme;
  const isOwn = ![...palette, ...Object.values(lifecycle), other, none].includes(color);
  if (isOwn) return readableOn(color);
  const isPale = color === other || color === lifecycle['new'] || PALE.some((place) => palette[place] === color);
  return scaleText[isPale ? 6 : 9] ?? theme.text;
}

/** Index in the palette; -1: gray. */
function placeOf({ series }: SeriesInsight, index: number): number {
  const one = series[index];
  if (!one) return -1;
  const current = series.filter(({ isPrevious }) => !isPrevious);
  const peers = current.length > 0 ? current : series;
  const twin = one.isPrevious ? (twinOf(one, series, peers) ?? one) : one;
  const isGray = ({ breakdown }: Series) => breakdown === OTHER || breakdown === NONE;
  if (isGray(twin)) return -1;
  return twin.place ?? peers.filter((other) => !isGray(other)).indexOf(twin);
}

/** The series of the current period that a previous one is compared to. Several of one event and value pair up in their order. */
export function twinOf(one: Series, series: readonly Series[], current: readonly Series[]): Series | undefined {
  const isSame = (other: Series) =>
    other.name === one.name && other.customName === one.customName && other.breakdown === one.breakdown;
  const rank = series.filter((other) => other.isPrevious && isSame(other)).indexOf(one);
  return current.filter(isSame)[rank];
}

/**
 * Gives each breakdown value the same color in all insights of a dashboard: the returned function takes them in their order. Values take the
 * places of the palette in the order of their first use; where two values of one insight share a place, the second takes a free one.
 */
export function createSharedColors(): (insight: Insight) => Insight {
  const places = new Map<string, number>();
  return (insight) => {
    if (insight.kind !== 'series') return insight;
    const values = [...new Set(insight.series.flatMap(({ breakdown }) => (breakdown === null ? [] : [breakdown])))];
    // several series of one value would look the same
    const isByValue = values.length > 1 && values.length === insight.series.filter(({ isPrevious }) => !isPrevious).length;
    if (!isByValue) return insight;
    const own = new Map<string, number>();
    const taken = new Set<number>();
    const take = (value: string, place: number) => {
      own.set(value, place);
      taken.add(place);
    };
    const colored = values.filter((value) => value !== OTHER && value !== NONE);
    for (const value of colored) {
      const place = places.get(value);
      if (place !== undefined && !taken.has(place)) take(value, place);
    }
    for (const value of colored) {
      if (own.has(value)) continue;
      let place = 0;
      while (taken.has(place)) place++;
      take(value, place);
      if (!places.has(value)) places.set(value, place);
    }
    return {
      ...insight,
      series: insight.series.map((one) => {
        const place = own.get(one.breakdown ?? '');
        return place === undefined ? one : { ...one, place };
      }),
    };
  };
}
