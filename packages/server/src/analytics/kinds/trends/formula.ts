import { sentenceOf } from '../../../kernel/errors.js';
/** An arithmetic expression over series; A is the first series. */
export interface Formula {
  text: string;
  /** Label of its line. */
  customName: string | null;
  expression: Expression;
}

export type Expression =
  | { kind: 'number'; value: number }
  /** Index of a series in the query. */
  | { kind: 'series'; index: number }
  | { kind: 'negative'; of: Expression }
  | { kind: 'binary'; sign: Sign; left: Expression; right: Expression };

type Sign = '+' | '-' | '*' | '/' | '%' | '^';

const MAX_TOKENS = 200;
const TOKEN = /\s*(?:(\d+(?:\.\d*)?|\.\d+)|([A-Za-z]+)|(\*\*|[-+*/%^()]))\s*/y;
const PRECEDENCE: Record<Sign, number> = { '+': 1, '-': 1, '*': 2, '/': 2, '%': 2, '^': 4 };
const NEGATIVE = 3;

const isSign = (token: string | undefined): token is Sign => token !== undefined && Object.hasOwn(PRECEDENCE, token);

/**
 * Parses a formula such as `A / B * 100`:
 *
 *   formula = term { sign term }      weak to strong: "+" "-", "*" "/" "%", unary "-", "^" or "**"; "^" is right-associative
 *   term    = "-" term | "(" formula ")" | number | series
 *   number  = digits [ "." [ digits ] ] | "." digits
 *   series  = a letter of either case: "A" is the first of `series` series
 *
 * @returns an error message if the text is not a formula
 */
export function parseFormula(text: string, series: number): Expression | string {
  const tokens = tokensOf(text);
  if (typeof tokens === 'string') return tokens;
  let at = 0;
  const fault = (): Error =>
    new Error(at < tokens.length ? `"${tokens[at]}" is not expected there.` : 'The formula is not complete.');

  const operand = (): Expression => {
    const token = tokens[at];
    if (token === '-') {
      at++;
      return { kind: 'negative', of: binary(NEGATIVE) };
    }
    if (token === '(') {
      at++;
      const inner = binary(0);
      if (tokens[at] !== ')') throw fault();
      at++;
      return inner;
    }
    if (token === undefined || isSign(token) || token === ')') throw fault();
    at++;
    if (/^[\d.]/.test(token)) return { kind: 'number', value: Number(token) };
    const index = token.length === 1 ? token.toUpperCase().charCodeAt(0) - 65 : -1;
    if (index < 0 || index >= series) throw new Error(`There is no series ${token}.`);
    return { kind: 'series', index };
  };

  const binary = (least: number): Expression => {
    let left = operand();
    for (;;) {
      const sign = tokens[at];
      if (!isSign(sign) || PRECEDENCE[sign] < least) return left;
      at++;
      // powers are right-associative
      left = { kind: 'binary', sign, left, right: binary(PRECEDENCE[sign] + (sign === '^' ? 0 : 1)) };
    }
  };

  try {
    const expression = binary(0);
    if (at < tokens.length) throw fault();
    return expression;
  } catch (error) {
    return sentenceOf(error);
  }
}

function tokensOf(text: string): string[] | string {
  const tokens: string[] = [];
  for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    if (!match) return `"${text.slice(at, at + 20)}" cannot be read.`;
    const [, number, name, sign] = match;
    tokens.push(number ?? name ?? (sign === '**' ? '^' : (sign ?? '')));
    if (tokens.length > MAX_TOKENS) return `A formula may have ${MAX_TOKENS} parts.`;
  }
  return tokens;
}

/**
 * Evaluates a formula at each place of its series; undefined results such as a division by zero are 0. Part by part, each a loop over numbers
 * of one type that writes over its left operand: a million places of an operation take about 2 ms, and callbacks take 5 to 40 times as long.
 * @param series their numbers; an empty list stands for zeros
 * @param places length of the other lists
 */
export function evaluate(expression: Expression, series: readonly number[][], places: number): number[] {
  return Array.from(columnOf(expression, series, places));
}

/** @returns a new array, which the caller may write to */
function columnOf(expression: Expression, series: readonly number[][], places: number): Float64Array {
  switch (expression.kind) {
    case 'number':
      return new Float64Array(places).fill(finite(expression.value));
    case 'series': {
      const column = new Float64Array(places);
      column.set(series[expression.index] ?? []);
      return column;
    }
    case 'negative': {
      const column = columnOf(expression.of, series, places);
      for (let at = 0; at < places; at++) column[at] = -(column[at] ?? 0);
      return column;
    }
    case 'binary': {
      const left = columnOf(expression.left, series, places);
      const right = columnOf(expression.right, series, places);
      const { sign } = expression;
      for (let at = 0; at < places; at++) left[at] = finite(apply(sign, left[at] ?? 0, right[at] ?? 0));
      return left;
    }
  }
}

/** The number of parts of a formula, which the time to evaluate it grows with. */
export function countParts(expression: Expression): number {
  switch (expression.kind) {
    case 'number':
    case 'series':
      return 1;
    case 'negative':
      return 1 + countParts(expression.of);
    case 'binary':
      return 1 + countParts(expression.left) + countParts(expression.right);
  }
}

const finite = (value: number): number => (Number.isFinite(value) ? value : 0);

function apply(sign: Sign, left: number, right: number): number {
  switch (sign) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / right;
    case '%':
      return left % right;
    case '^':
      return left ** right;
  }
}
