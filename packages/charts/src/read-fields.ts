import type { Display } from './insight.js';

/** Part of an answer, of which nothing is known yet. */
export type Fields = Record<string, unknown>;

export const fields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
export const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** Numbers beyond are drawn as this: an axis goes further than its numbers, and is to end at a number, too. */
const MOST = 1e100;
const drawn = (value: number): number => Math.min(Math.max(value, -MOST), MOST);

export const number = (value: unknown): number => maybeNumber(value) ?? 0;
export const maybeNumber = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? drawn(value) : null;
/** A number, also one that is too long for JSON and comes as text. */
export const numberOf = (value: unknown): number | null =>
  typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? drawn(Number(value)) : maybeNumber(value);
export const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

const OTHER = '$$_posthog_breakdown_other_$$';
const NONE = '$$_posthog_breakdown_null_$$';

/** The value of a breakdown that a part of an answer is of, for people; null: not broken down. */
export const breakdownOf = (part: Fields): string | null => text(part['breakdown_name']) ?? shownValue(part['breakdown_value']);

/** What is a number in an answer is that of a cohort without a name. */
function shownValue(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (Array.isArray(value)) return value.length > 0 ? value.map((one) => shownValue(one) ?? '(none)').join(' · ') : null;
  if (value === OTHER) return '(other)';
  if (typeof value === 'number') return `Cohort ${value}`;
  return value === NONE || value === '' ? '(none)' : String(value);
}

/** What queries call the ways in which they are shown. */
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
  WorldMap: 'table',
};
