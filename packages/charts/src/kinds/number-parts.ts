import type { Insight } from '../insight.js';
import { signedPercent } from '../text/format-number.js';
import { type NumberStyle, written, writtenShort } from '../text/number-style.js';
import { courseText } from './course-text.js';

/** A single number with its change against the period before. */
export interface NumberParts {
  value: string;
  /** Null: there is no period before, or it was zero. */
  change: Change | null;
  /** The number of the period before: `vs 13,983`. Null: there is none. */
  before: string | null;
  /** Values over time for a sparkline; fewer than two: none. */
  points: readonly number[];
  /** How many points at the end are of periods that are not over. */
  unfinished: number;
  /** What the points are, in words; empty: there are none. */
  about: string;
  isLessBetter: boolean;
}

export interface Change {
  /** With its sign: `+190.3%`. */
  text: string;
  direction: 'up' | 'down' | 'none';
  verdict: 'good' | 'bad' | 'none';
}

/** From here on a number is shortened, such as `12.35M`. */
const LONG = 10_000_000;

export function numberParts({ series, labels, unfinished = 0 }: Extract<Insight, { kind: 'series' }>): NumberParts {
  const current = series.find(({ isPrevious }) => !isPrevious) ?? series[0];
  const previous = series.find(({ isPrevious }) => isPrevious);
  const { style, data = [], isLessBetter = false } = current ?? {};
  const { total, sparkline } = current?.whole ?? current ?? { total: 0 };
  const before = previous?.whole?.total ?? previous?.total;
  const course = sparkline ?? { days: labels, data, unfinished };
  const hasPoints = course.data.length > 1;
  return {
    value: shownNumber(total, style),
    change: previous && before ? changeOf(total, before, isLessBetter) : null,
    before: before === undefined ? null : `vs ${shownNumber(before, style)}`,
    points: hasPoints ? course.data : [],
    unfinished: hasPoints ? (course.unfinished ?? 0) : 0,
    about: hasPoints ? courseText(course, style) : '',
    isLessBetter,
  };
}

const shownNumber = (total: number, style: NumberStyle | undefined): string =>
  Math.abs(total) >= LONG && !style ? writtenShort(total) : written(total, style);

/** The change of a number from another, which is not 0. */
export function changeOf(now: number, before: number, isLessBetter: boolean): Change {
  const share = (now - before) / Math.abs(before);
  if (share === 0) return { text: '0%', direction: 'none', verdict: 'none' };
  const isUp = share > 0;
  return {
    text: signedPercent(share),
    direction: isUp ? 'up' : 'down',
    verdict: isUp === isLessBetter ? 'bad' : 'good',
  };
}
