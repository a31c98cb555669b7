import { BREAKDOWN_NULL, BREAKDOWN_OTHER, type Breakdown } from '../../breakdown.js';
import { type BreakdownName, breakdownName } from '../breakdown.js';
import type { KindContext } from '../kind.js';

/** A breakdown value in results: a list of texts for properties, a text for a group property, the number of a cohort (or `all`). */
export type BreakdownLabel = string[] | string | number;

/** Fields for the breakdown value of a part of the result. */
export interface FunnelBreakdown extends BreakdownName {
  /** As `breakdown_value`; for cohorts the name. */
  breakdown?: BreakdownLabel;
  breakdown_value?: BreakdownLabel;
}

const NONE = '';
/** The value that stands for all values beyond the limit in funnel results. */
export const OTHER = 'Other';

const shown = (text: string): string => (text === BREAKDOWN_NULL ? NONE : text === BREAKDOWN_OTHER ? OTHER : text);

function isText({ by, isList }: Breakdown): boolean {
  const [first] = by.type === 'properties' ? by.properties : [];
  return !isList && first !== undefined && 'owner' in first && first.owner.type === 'group';
}

/** Formats a breakdown value for the result. */
export function labelOf(breakdown: Breakdown, value: readonly string[], context: KindContext): FunnelBreakdown {
  const [only = ''] = value;
  if (breakdown.by.type === 'cohorts') {
    const number = /^\d+$/.test(only) ? Number(only) : shown(only);
    const called = only === 'all' ? 'all users' : context.cohorts.get(Number(only))?.name;
    return { breakdown: called || shown(only), breakdown_value: number, ...breakdownName(value, breakdown, context) };
  }
  const label = isText(breakdown) ? shown(only) : value.map(shown);
  return { breakdown: label, breakdown_value: label };
}

/** Parses a value of a result, or a stored one; {@link OTHER} stays as it is. */
export const readLabel = (given: readonly string[], { by }: Breakdown): string[] =>
  given.map((text) => {
    if (by.type === 'cohorts') return text === '0' ? 'all' : text;
    return text === NONE ? BREAKDOWN_NULL : text;
  });
