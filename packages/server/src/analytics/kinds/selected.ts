import { z } from 'zod';
import { exactText, refusal } from '../fields.js';
import { isPlainName } from './event-columns.js';
import { type Expression, readExpression } from './sql/expression.js';

/**
 * Reads what a `select` names: a column by its name, where that can be meant in no other way; an expression of SQL; and else a property
 * of any name. Returns a text that says what is wrong when it is none of them.
 */
export function readSelected<Column>(name: string, column: Column | null): Column | Expression | string {
  if (column && isPlainName(name)) return column;
  const expression = readExpression(name);
  return typeof expression === 'string' ? (column ?? expression) : expression;
}

/** A column or an expression, as {@link readSelected} reads it. */
export const selectedText = <Column extends object>(readColumn: (name: string) => Column | null) =>
  exactText().transform((name, ctx) => {
    const found = readSelected(name, readColumn(name));
    if (typeof found !== 'string') return found;
    ctx.addIssue(refusal(found, 'invalid_choice'));
    return z.NEVER;
  });

/** An expression of SQL. */
export const expressionText = exactText().transform((text, ctx) => {
  const found = readExpression(text);
  if (typeof found !== 'string') return found;
  ctx.addIssue(refusal(found));
  return z.NEVER;
});
