import { bisectRejected } from '../kernel/bisect.js';
import { type EventsStore, QueryFailed } from '../ports/events.js';
import { type Filter, patternsOf } from './filter.js';
import { bound, commaList, render, sql } from './sql/fragment.js';

const CANNOT_COMPILE_REGEXP = 427;

/** Finds the regular expressions in filters that the engine cannot compile. */
export async function brokenPatterns(events: EventsStore, filters: readonly Filter[]): Promise<Set<string>> {
  const compile = (patterns: readonly string[]) => {
    const tries = patterns.map((pattern) => sql`match(materialize(''), ${bound('String', `(?-s)${pattern}`)})`);
    return events.query(render(sql`select ${commaList(tries)}`));
  };
  // one statement compiles all, since most are valid; the engine does not say which one failed, so failures are bisected
  const { refused } = await bisectRejected([...new Set(filters.flatMap(patternsOf))], compile, cannotCompile);
  return new Set(refused);
}

const cannotCompile = (error: unknown): boolean => error instanceof QueryFailed && error.code === CANNOT_COMPILE_REGEXP;
