import type { Display } from '../insight.js';
import { NONE, OTHER } from '../theme/series-color.js';

/** An object of a response, not validated yet. */
export type Fields = Record<string, unknown>;

export const fields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
export const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** Numbers are clamped to this, because the ends of an axis lie beyond its data and must be finite, too. */
const MOST = 1e100;
const drawn = (value: number): number => Math.min(Math.max(value, -MOST), MOST);

export const number = (value: unknown): number => maybeNumber(value) ?? 0;
export const maybeNumber = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? drawn(value) : null;
/** Reads a number, also from the text that the API writes for numbers that JSON cannot hold. */
export const numberOf = (value: unknown): number | null =>
  typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? drawn(Number(value)) : maybeNumber(value);
export const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

const OTHER_VALUE = '$$_posthog_breakdown_other_$$';
const NO_VALUE = '$$_posthog_breakdown_null_$$';

/** Display name of the breakdown value of a result; null: not broken down. */
export const breakdownOf = (part: Fields): string | null => text(part['breakdown_name']) ?? shownValue(part['breakdown_value']);

/** A number is the id of a cohort without a name. */
function shownValue(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (Array.isArray(value)) return value.length > 0 ? value.map((one) => shownValue(one) ?? NONE).join(' · ') : null;
  if (value === OTHER_VALUE) return OTHER;
  if (typeof value === 'number') return `Cohort ${value}`;
  return value === NO_VALUE || value === '' ? NONE : String(value);
}

/** `display` values of queries and the charts that show them. */
export const DISPLAYS: Record<string, Display> = {
  ActionsLineGraph: 'line',
  ActionsLineGraphCumulative: 'line',
  ActionsAreaGraph: 'area',
  ActionsBar: 'stacked',
  ActionsStackedBar: 'stacked',
  ActionsUnstackedBar: 'bar',
  ActionsBarValue: 'total-bar',
  ActionsPie: 'pie',
  BoldNumber: 'number',
  ActionsTable: 'table',
  WorldMap: 'map',
};
