import { z } from 'zod';
import { exactText, refusal } from '../fields.js';
import { isPlainName } from './event-columns.js';
import { type Expression, readExpression } from './sql/expression.js';

/**
 * Parses an item of `select`: an unambiguous column name, else an SQL expression, else a property whose name is not valid SQL.
 * @returns an error message if it is none of them
 */
export function readSelected<Column>(name: string, column: Column | null): Column | Expression | string {
  if (column && isPlainName(name)) return column;
  const expression = readExpression(name);
  return typeof expression === 'string' ? (column ?? expression) : expression;
}

/** Schema of a column or an expression, by {@link readSelected}. */
export const selectedText = <Column extends object>(readColumn: (name: string) => Column | null) =>
  exactText().transform((name, ctx) => {
    const found = readSelected(name, readColumn(name));
    if (typeof found !== 'string') return found;
    ctx.addIssue(refusal(found, 'invalid_choice'));
    return z.NEVER;
  });

/** Schema of an SQL expression. */
export const expressionText = exactText().transform((text, ctx) => {
  const found = readExpression(text);
  if (typeof found !== 'string') return found;
  ctx.addIssue(refusal(found));
  return z.NEVER;
});
