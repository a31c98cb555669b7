import type { QueryFailed } from '../ports/events.js';

/*
 * Row-level security for statements that contain SQL written by users. It is the second line of defence: the SQL is parsed, checked
 * against an allowlist and written anew before it comes here (kinds/sql).
 */

/** The project that user SQL may read, and the time zone in which its days begin. */
export interface UserSqlScope {
  projectId: number;
  timezone: string;
}

/**
 * ClickHouse settings that restrict the tables to the rows of one project. The engine may not move the user's conditions before that
 * filter: an expression that fails for another project's rows would reveal that they exist.
 */
export function rowFilterSettings({ projectId, timezone }: UserSqlScope, tables: readonly string[]): string {
  const filters = tables
    .map((table) => `'${table.replace(/[\\']/g, '\\$&')}': 'project_id = ${Math.trunc(projectId)}'`)
    .join(', ');
  return `, additional_table_filters = {${filters}}, query_plan_filter_push_down = 0, query_plan_merge_filters = 0,
    enable_optimize_predicate_expression = 0, max_subquery_depth = 100, max_rows_in_join = 100000000, join_overflow_mode = 'throw',
    session_timezone = '${timezone.replace(/[^\w+/-]/g, '')}'`;
}

/** Errors of the statement itself (syntax, types, names): their messages quote only the statement, never data. */
const STATEMENT_ERRORS: Record<number, true> = Object.fromEntries(
  [34, 35, 42, 43, 44, 47, 50, 63, 69, 115, 128, 133, 174, 179, 184, 207, 215, 258, 386, 403, 48].map((code) => [code, true]),
);

/** The message for the author of a failed statement. Contains no values of rows. */
export function describeUserSqlError({ code, message }: QueryFailed): string {
  const known = SENTENCES[code];
  if (known) return known;
  if (!Object.hasOwn(STATEMENT_ERRORS, code)) return `The query failed (${code}): a value cannot be used as the query says.`;
  return `The query cannot be computed: ${withUserNames(message).slice(0, 500)}`;
}

/** Removes the generated SQL from an engine message and restores the names that the user wrote (see kinds/sql/scope.ts). */
const withUserNames = (message: string): string =>
  message
    .replace(/[.:,]? (In query|In scope|While|Maybe you meant)[\s\S]*$/i, '.')
    .replace(/\bs\d+\.(?=`)|`?\b[ul]:/g, (found) => (found.startsWith('`') ? '`' : ''))
    .replace(/%([0-9a-f]{1,6})_/g, (_, code: string) => String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10ffff)))
    .replace(/\s+/g, ' ');

const SENTENCES: Record<number, string> = {
  6: 'A text cannot be read as what the query makes of it. Functions whose names end in OrNull give null instead.',
  41: 'A text cannot be read as a date.',
  53: 'Values of different types cannot be used together there.',
  72: 'A text cannot be read as a number. toFloat gives null instead.',
  153: 'The query divides by zero.',
  159: 'The query took too long. Ask for a shorter period or fewer events.',
  160: 'The query would take too long. Ask for a shorter period or fewer events.',
  241: 'The query needs more memory than it may use. Ask for a shorter period or fewer events.',
  396: 'The result is too large. Ask for fewer rows or columns.',
  427: 'A regular expression cannot be read.',
};
