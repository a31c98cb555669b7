import { evaluateFlags, prepareFlags } from '@tidemark/flags';
import { systemClock } from '../adapters/system/index.js';
import type { Operator } from '../analytics/filter.js';
import { createCaches } from '../caches/index.js';
import { createCompiledRegexes, createRegexSearch } from '../evaluation/regexes.js';
import type { Json } from '../kernel/json.js';

/** A filter as the evaluator of flags reads it. */
export interface FlagFilter {
  operator: Operator;
  value: Json | undefined;
  /** Epoch milliseconds. */
  now: number;
  timeZone?: string;
}

/** Makes the function that tells whether a property passes a filter in a flag; undefined: the person has no such property. */
export function flagFilter({ operator, value, now, timeZone = 'UTC' }: FlagFilter): (own: Json | undefined) => boolean {
  const groups = [{ properties: [{ key: 'p', type: 'person', operator, value }] }];
  const prepared = prepareFlags([{ id: 1, key: 'flag', active: true, filters: { groups } }]);
  return (own) => {
    const personProperties = own === undefined ? {} : { p: own };
    const subject = { distinctId: 'ann', personProperties, groups: {} };
    return (
      evaluateFlags(prepared, subject, {
        now,
        timeZone,
        matchesRegex: createRegexSearch(createCompiledRegexes(createCaches(systemClock))),
      }).get('flag')?.value === true
    );
  };
}
