import type { Moment } from '../dates.js';
import { type FilterGroup, isGroup, type PropertyFilter } from '../filter.js';
import { every, type Fragment, some, sql, TRUE } from './fragment.js';
import { CONDITIONS } from './operators.js';
import { property } from './property.js';

/** What filters are read against. */
export interface FilterContext {
  moment: Moment;
  /** Regular expressions that the engine cannot compile. */
  brokenPatterns: ReadonlySet<string>;
}

/** The condition that a filter stands for. */
export function condition(filter: PropertyFilter | FilterGroup, context: FilterContext): Fragment {
  if (!isGroup(filter)) {
    return sql`(${CONDITIONS[filter.operator](property(filter.owner, filter.key), filter.values, context)})`;
  }
  if (filter.values.length === 0) return TRUE;
  const conditions = filter.values.map((one) => condition(one, context));
  return filter.type === 'AND' ? every(conditions) : some(conditions);
}
