import type { Breakdown } from '../../breakdown.js';
import { breakdownValues } from '../../sql/breakdown.js';
import { bound, commaList, type Fragment, sql } from '../../sql/fragment.js';
import type { KindContext } from '../kind.js';
import { type BinEdges, binOf } from './bins.js';

/** The values of a line's breakdowns, in their order. */
export type Keys = readonly string[];

/** What tells events apart: a text for each breakdown. */
export const keysOf = (breakdown: Breakdown, bins: readonly (BinEdges | null)[], context: KindContext): Fragment[] =>
  breakdownValues(breakdown, context).map((value, index) => {
    const edges = bins[index];
    const own = breakdown.by.type === 'properties' ? breakdown.by.properties[index] : undefined;
    return edges && own ? binOf(own, edges, context) : value;
  });

/** That the keys of an event are among these. */
export const areAmong = (keys: readonly Fragment[], chosen: readonly Keys[]): Fragment =>
  sql`${asOne(keys)} in (select arrayJoin(${bound('Array(String)', chosen.map(textOf))}))`;

/**
 * Several keys as one text that no others have, as {@link textOf} writes it. Not as JSON: the engine writes it with other escapes
 * than we do.
 */
const asOne = (keys: readonly Fragment[]): Fragment => {
  const [only] = keys;
  return only && keys.length === 1
    ? only
    : sql`concat(${commaList(keys.map((key) => sql`toString(length(${key})), ':', ${key}`))})`;
};

const textOf = (keys: Keys): string =>
  keys.length === 1 ? (keys[0] ?? '') : keys.map((key) => `${Buffer.byteLength(key)}:${key}`).join('');
