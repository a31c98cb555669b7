import { type EventsStore, QueryFailed } from '../ports/events.js';
import { type Filter, patternsOf } from './filter.js';
import { bound, commaList, render, sql } from './sql/fragment.js';

const CANNOT_COMPILE_REGEXP = 427;

/** The regular expressions in filters that the engine cannot compile. */
export async function brokenPatterns(events: EventsStore, filters: readonly Filter[]): Promise<Set<string>> {
  const compiles = async (patterns: readonly string[]): Promise<boolean> => {
    const tries = patterns.map((pattern) => sql`match(materialize(''), ${bound('String', `(?-s)${pattern}`)})`);
    try {
      await events.query(render(sql`select ${commaList(tries)}`));
      return true;
    } catch (error) {
      if (!(error instanceof QueryFailed) || error.code !== CANNOT_COMPILE_REGEXP) throw error;
      return false;
    }
  };
  // all in one statement, as most are sound; the engine does not say which one is not
  const brokenAmong = async (patterns: readonly string[]): Promise<string[]> => {
    if (patterns.length === 0 || (await compiles(patterns))) return [];
    if (patterns.length === 1) return [...patterns];
    const half = Math.ceil(patterns.length / 2);
    return [...(await brokenAmong(patterns.slice(0, half))), ...(await brokenAmong(patterns.slice(half)))];
  };
  return new Set(await brokenAmong([...new Set(filters.flatMap(patternsOf))]));
}
