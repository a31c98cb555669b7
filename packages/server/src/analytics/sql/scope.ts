import type { Span } from '../buckets.js';
import { instantSql, type KindContext } from '../kinds/kind.js';
import type { InsightScope } from '../query.js';
import { condition } from './filter.js';
import { bound, type Fragment, sql } from './fragment.js';
import { PERSON_ID } from './person-id.js';

/** That an event is one of those that an insight is about: within `span`, its filters, no test, of the sample. */
export const inScope = (scope: InsightScope, span: Span, context: KindContext): Fragment[] => [
  sql`e.timestamp >= ${instantSql(span.from)}`,
  sql`e.timestamp < ${instantSql(span.to)}`,
  ...aboutScope(scope, context),
];

/** As {@link inScope}, at any time. */
export const aboutScope = (scope: InsightScope, context: KindContext): Fragment[] => [
  condition(scope.properties, context),
  ...(scope.filterTestAccounts ? [condition(context.testAccounts, context)] : []),
  ...(scope.samplingFactor < 1 ? [inSample(scope.samplingFactor)] : []),
];

const SHARES = 1_000_000;

/** Persons are in a sample with all their events, and the same ones in every query. */
const inSample = (factor: number): Fragment =>
  sql`cityHash64(${PERSON_ID}) % 1000000 < ${bound('Int64', Math.round(factor * SHARES))}`;
