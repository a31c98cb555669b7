import type { Span } from '../buckets.js';
import { instantSql, type KindContext } from '../kinds/kind.js';
import type { InsightScope } from '../query.js';
import { condition } from './filter.js';
import { bound, type Fragment, sql } from './fragment.js';
import { PERSON_ID } from './person-id.js';

/** Conditions of an insight on an event: time span, filters, test accounts and sampling. */
export const inScope = (scope: InsightScope, span: Span, context: KindContext): Fragment[] => [
  sql`e.timestamp >= ${instantSql(span.from)}`,
  sql`e.timestamp < ${instantSql(span.to)}`,
  ...aboutScope(scope, context),
];

/** As {@link inScope}, without the time span. */
export const aboutScope = (scope: InsightScope, context: KindContext): Fragment[] => [
  condition(scope.properties, context),
  ...(scope.filterTestAccounts ? [condition(context.testAccounts, context)] : []),
  ...(scope.samplingFactor < 1 ? [inSample(scope.samplingFactor)] : []),
];

const SHARES = 1_000_000;

/** Samples by person: with all their events, and the same persons in every query. */
const inSample = (factor: number): Fragment =>
  sql`cityHash64(${PERSON_ID}) % 1000000 < ${bound('Int64', Math.round(factor * SHARES))}`;
