import { BREAKDOWN_NULL, type Breakdown, type PropertyBreakdown } from '../breakdown.js';
import { condition, type FilterContext } from './filter.js';
import { bound, commaList, type Fragment, sql } from './fragment.js';
import { ofText, type Property, property } from './property.js';

/**
 * Breakdown values of an event: a text for each property of the breakdown (`BREAKDOWN_NULL` if absent). For cohorts one text, the
 * number of the cohort or `all`, in a row for each cohort that the person is in.
 */
export function breakdownValues({ by }: Breakdown, context: FilterContext): Fragment[] {
  return by.type === 'properties'
    ? by.properties.map((one) => propertyValue(one, context))
    : [sql`arrayJoin(${cohortNames(by.cohorts, context)})`];
}

/** The cohorts among `cohorts` that the event's person is in: a list of numbers as texts, or `all`. */
export function cohortNames(cohorts: readonly (number | 'all')[], context: FilterContext): Fragment {
  const memberships = cohorts.map((cohort) => {
    const name = bound('String', String(cohort));
    return cohort === 'all' ? name : sql`if(${condition({ cohort }, context)}, ${name}, '')`;
  });
  return sql`arrayFilter(name -> name != '', [${commaList(memberships)}])`;
}

function propertyValue(breakdown: PropertyBreakdown, context: FilterContext): Fragment {
  const { text } = breakdownValue(breakdown, context);
  const value = breakdown.normalizeUrl ? sql`replaceRegexpOne(${text}, '[/?#]*$', '')` : text;
  return sql`ifNull(nullIf(${value}, ''), ${bound('String', BREAKDOWN_NULL)})`;
}

/** The raw value of a breakdown as text and as number; null if absent. */
export function breakdownValue(
  breakdown: PropertyBreakdown,
  { writeExpression: written }: FilterContext,
): Pick<Property, 'text' | 'number'> {
  if (!('expression' in breakdown)) return property(breakdown.owner, breakdown.key);
  return ofText(sql`toString(${written(breakdown.expression, 'text')})`);
}
