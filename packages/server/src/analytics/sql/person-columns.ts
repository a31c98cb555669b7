import { type Fragment, sql } from './fragment.js';
import type { PersonColumn } from './source.js';

/*
 * Columns of a row for each person (`selectByPerson`), with how the values of several distinct ids become one.
 */

/** A mask of the bits of a person's events, or of those for which `only` holds. */
export const maskColumn = (name: Fragment, bit: Fragment, only?: Fragment): PersonColumn => ({
  name,
  of: only ? sql`groupBitOrIf(${bit}, ${only})` : sql`groupBitOr(${bit})`,
  united: (masks) => sql`groupBitOr(${masks})`,
});

/** A list, in no order, with a value for each of a person's events, or for each of those for which `only` holds. */
export const listColumn = (name: Fragment, value: Fragment, only?: Fragment): PersonColumn => ({
  name,
  of: only ? sql`groupArrayIf(${value}, ${only})` : sql`groupArray(${value})`,
  united: (lists) => sql`groupArrayArray(${lists})`,
});

/** The number of a person's events. */
export const countColumn = (name: Fragment): PersonColumn => ({
  name,
  of: sql`count()`,
  united: (counts) => sql`sum(${counts})`,
});

/** The least value of a person's events. */
export const leastColumn = (name: Fragment, value: Fragment): PersonColumn => ({
  name,
  of: sql`min(${value})`,
  united: (values) => sql`min(${values})`,
});
