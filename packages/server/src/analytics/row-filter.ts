import type { QueryFailed } from '../ports/events.js';

/*
 * What stands around statements whose form is of an author's making, beside the care with which they are written.
 */

const TABLES = ['events', 'persons', 'person_overrides', 'groups'];

/** For whom a statement was written: its days begin in this zone. */
export interface UserSqlScope {
  projectId: number;
  timezone: string;
}

/**
 * Settings of such a statement: the engine leaves out other projects' rows by itself, and computes nothing of the author's before
 * it has done so. An expression that fails for some rows would else tell of them.
 */
export function rowFilterSettings({ projectId, timezone }: UserSqlScope): string {
  const filters = TABLES.map((table) => `'${table}': 'project_id = ${Math.trunc(projectId)}'`).join(', ');
  return `, additional_table_filters = {${filters}}, query_plan_filter_push_down = 0, query_plan_merge_filters = 0,
    enable_optimize_predicate_expression = 0, max_subquery_depth = 100, max_rows_in_join = 100000000, join_overflow_mode = 'throw',
    session_timezone = '${timezone.replace(/[^\w+/-]/g, '')}'`;
}

/** Faults of the statement itself, about which the engine's message quotes nothing but the statement. */
const STATEMENT_ERRORS: Record<number, true> = Object.fromEntries(
  [34, 35, 42, 43, 44, 47, 50, 63, 69, 115, 128, 133, 174, 179, 184, 207, 215, 258, 386, 403, 48].map((code) => [code, true]),
);

/** What to tell the author of a statement that failed; nothing that its rows hold. */
export function describeUserSqlError({ code, message }: QueryFailed): string {
  const known = SENTENCES[code];
  if (known) return known;
  if (!Object.hasOwn(STATEMENT_ERRORS, code)) return `The query failed (${code}): a value cannot be used as the query says.`;
  return `The query cannot be computed: ${withUserNames(message).slice(0, 500)}`;
}

/** Without the statement as it was written for the engine, and with the author's names in it as these were. */
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
