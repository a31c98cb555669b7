import { createHash } from 'node:crypto';
import { type Fragment, hasSubqueryOrUserSql, joinsOf, render } from '../sql/fragment.js';

/** Characters of a statement with its values; longer ones have no identity, because comparing them takes long. */
const MAX_IDENTITY = 100_000;

/** What a statement is, for a cache of its rows. */
export interface Identity {
  key: string;
  /** It reads properties of persons or groups, whose changes no day shows. */
  readsProfiles: boolean;
}

/** Null: its rows depend on more than the events of their time and the newest profiles, or may change by themselves. */
export function identityOf(statement: Fragment): Identity | null {
  if (hasSubqueryOrUserSql(statement)) return null;
  const joins = joinsOf([statement]);
  if (joins.some(({ table }) => table === 'sessions')) return null;
  if (statement.size > MAX_IDENTITY) return null;
  const { sql: text, params } = render(statement);
  const values = Object.values(params);
  if (values.reduce<number>((sum, value) => sum + lengthOf(value), 0) > MAX_IDENTITY) return null;
  const key = createHash('sha256')
    .update(JSON.stringify([text, values]))
    .digest('base64');
  return { key, readsProfiles: joins.some((join) => 'column' in join && !join.column.isCreation) };
}

/** Characters of a value of a statement, about. */
const lengthOf = (value: unknown): number =>
  Array.isArray(value)
    ? value.reduce<number>((sum, one) => sum + lengthOf(one), 0)
    : typeof value === 'string'
      ? value.length
      : 8;
