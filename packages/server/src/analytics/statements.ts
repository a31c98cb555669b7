import type { EventsStore, ReadStatement } from '../ports/events.js';
import type { ReusedIntervals } from './cache/interval-parts.js';
import { SETTINGS } from './execute.js';
import { layoutSql } from './layout-sql.js';

/** How a result was computed. */
export interface ComputationFigures {
  /** Seconds: `.` of the whole computation, `./statement_1` of its first statement. */
  timings: { k: string; t: number }[];
  /** The statements that the engine ran, with their values, for people to read. */
  clickhouse: string;
}

/** A statement that the engine ran. */
interface RunStatement extends Pick<ReadStatement, 'sql' | 'params'> {
  /** Milliseconds. */
  took: number;
}

/** The same store, which also lists the statements that it ran, in the order in which they ended. */
export function recordStatements(events: EventsStore): { events: EventsStore; statements: RunStatement[] } {
  const statements: RunStatement[] = [];
  const query: EventsStore['query'] = async (statement) => {
    const begun = performance.now();
    const answer = await events.query<never>(statement);
    statements.push({ sql: statement.sql, params: statement.params ?? {}, took: performance.now() - begun });
    return answer;
  };
  return { events: { ...events, query }, statements };
}

/** Characters of all statements at most: a filter may list thousands of values. */
const MAX_LENGTH = 20_000;

/** The figures of a computation that took `total` milliseconds. @param reused the intervals that came from the cache */
export function figuresOf(statements: readonly RunStatement[], total: number, reused: ReusedIntervals): ComputationFigures {
  const { count, isByPerson } = reused;
  let text = count === 0 ? '' : `-- ${count} ${count === 1 ? 'interval' : 'intervals'} unchanged: read from the cache\n`;
  if (isByPerson) text += '-- persons without new events: read from the cache\n';
  let isCut = false;
  for (const [index, { sql, params }] of [...statements, ...reused.statements].entries()) {
    const whole = withoutSettings(sql);
    isCut ||= text.length > MAX_LENGTH || whole.length > MAX_LENGTH;
    if (text.length > MAX_LENGTH) break;
    // the layout makes nothing shorter but white space
    text += `${index === 0 ? '' : ';\n\n'}${layoutSql(whole.slice(0, MAX_LENGTH), params)}`;
  }
  return {
    timings: [
      { k: '.', t: secondsOf(total) },
      ...statements.map(({ took }, index) => ({ k: `./statement_${index + 1}`, t: secondsOf(took) })),
    ],
    clickhouse: isCut || text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}\n-- and so on` : text,
  };
}

/** Settings guard the engine and change no number. */
function withoutSettings(sql: string): string {
  const at = sql.lastIndexOf(SETTINGS);
  return at < 0 ? sql : sql.slice(0, at);
}

/** Seconds with a tenth of a millisecond. */
const secondsOf = (milliseconds: number): number => Math.round(milliseconds * 10) / 10_000;
