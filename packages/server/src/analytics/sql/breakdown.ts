import { BREAKDOWN_NULL, type Breakdown, type PropertyBreakdown } from '../breakdown.js';
import { condition, type FilterContext } from './filter.js';
import { bound, commaList, type Fragment, sql } from './fragment.js';
import { ofText, type Property, property } from './property.js';

/**
 * The values by which an event is told apart, a text for each of the breakdown's properties (`BREAKDOWN_NULL` where it has
 * none); for cohorts one text, the cohort's number or `all`, with a row for each cohort that the person is in.
 */
export function breakdownValues({ by }: Breakdown, context: FilterContext): Fragment[] {
  return by.type === 'properties'
    ? by.properties.map((one) => propertyValue(one, context))
    : [sql`arrayJoin(${cohortNames(by.cohorts, context)})`];
}

/** Of some cohorts the numbers (or `all`) of those that the person of an event is in, as a list of texts. */
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

/** What tells events apart, as a text and as a number; null where there is none. */
export function breakdownValue(
  breakdown: PropertyBreakdown,
  { writeExpression: written }: FilterContext,
): Pick<Property, 'text' | 'number'> {
  if (!('expression' in breakdown)) return property(breakdown.owner, breakdown.key);
  return ofText(sql`toString(${written(breakdown.expression, 'text')})`);
}
