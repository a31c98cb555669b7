import type { Insight } from '../insight.js';
import { signedPercent } from '../text/format-number.js';
import { type NumberStyle, written, writtenShort } from '../text/number-style.js';

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
}

export interface Change {
  /** With its sign: `+190.3%`. */
  text: string;
  direction: 'up' | 'down' | 'none';
  verdict: 'good' | 'bad' | 'none';
}

/** From here on a number is shortened, such as `12.35M`. */
const LONG = 10_000_000;

export function numberParts({ series, isLessBetter = false }: Extract<Insight, { kind: 'series' }>): NumberParts {
  const current = series.find(({ isPrevious }) => !isPrevious) ?? series[0];
  const before = series.find(({ isPrevious }) => isPrevious);
  const { total = 0, style, data = [], sparkline } = current ?? {};
  return {
    value: shownNumber(total, style),
    change: current && before && before.total !== 0 ? changeOf(total, before.total, isLessBetter) : null,
    before: before ? `vs ${shownNumber(before.total, style)}` : null,
    points: sparkline?.data ?? data,
    unfinished: sparkline?.unfinished ?? 0,
  };
}

const shownNumber = (total: number, style: NumberStyle | undefined): string =>
  Math.abs(total) >= LONG && !style ? writtenShort(total) : written(total, style);

function changeOf(now: number, before: number, isLessBetter: boolean): Change {
  const share = (now - before) / Math.abs(before);
  if (share === 0) return { text: '0%', direction: 'none', verdict: 'none' };
  const isUp = share > 0;
  return {
    text: signedPercent(share),
    direction: isUp ? 'up' : 'down',
    verdict: isUp === isLessBetter ? 'bad' : 'good',
  };
}
