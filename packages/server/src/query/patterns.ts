import { type EventsStore, QueryFailed } from '../ports/events.js';
import { type Filter, patternsOf } from './filter.js';

const CANNOT_COMPILE_REGEXP = 427;

/** The regular expressions in filters that the engine cannot compile. */
export async function brokenPatterns(events: EventsStore, filters: readonly Filter[]): Promise<Set<string>> {
  const broken = new Set<string>();
  for (const pattern of new Set(filters.flatMap(patternsOf))) {
    try {
      await events.query({ sql: "select match(materialize(''), {pattern:String})", params: { pattern: `(?-s)${pattern}` } });
    } catch (error) {
      if (!(error instanceof QueryFailed) || error.code !== CANNOT_COMPILE_REGEXP) throw error;
      broken.add(pattern);
    }
  }
  return broken;
}
