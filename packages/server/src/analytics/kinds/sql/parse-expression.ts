import { type Expr, SqlFault, UNITS, type Unit } from './ast.js';
import type { Cursor } from './cursor.js';
import { findFunction } from './functions.js';
import { parseCall } from './parse-call.js';
import { parseType } from './parse-type.js';

/*
 * The grammar of expressions, in EBNF. Words are read without regard to case; `select` is read by parse-select.ts, a `type` by
 * parse-type.ts, and what follows the name of a function by parse-call.ts.
 *
 *   expression = lambda | choice
 *   lambda     = ( name | "(" name { "," name } ")" ) "->" expression
 *   choice     = some [ "?" expression ":" expression ]
 *   some       = every { "or" every }
 *   every      = not { "and" not }
 *   not        = "not" not | comparison
 *   comparison = terms { compared }
 *   compared   = ( "=" | "==" | "!=" | "<>" | "<" | "<=" | ">" | ">=" | "=~" | "!~" | "=~*" | "!~*" ) terms
 *              | "is" [ "not" ] "null"
 *              | [ "not" ] ( "in" | "like" | "ilike" ) terms
 *              | [ "not" ] "between" terms "and" terms
 *   terms      = signed { operator signed }            operators from weak to strong: "??", "||", "+" "-", "*" "/" "%"
 *   signed     = "-" signed | parts
 *   parts      = value { "[" expression "]" | "::" type | "." ( number | name ) }
 *   value      = text | number | "null" | "true" | "false" | "*" | list | placeholder | bracket | cases | interval | moment
 *              | "cast" "(" expression "as" type ")" | "extract" "(" unit "from" expression ")" | field | call
 *   list       = "[" [ expression { "," expression } ] "]"
 *   placeholder = "{" name { "." name } "}"
 *   bracket    = "(" select ")" | "(" [ expression { "," expression } [ "," ] ] ")"
 *   cases      = "case" [ expression ] { "when" expression "then" expression } [ "else" expression ] "end"
 *   interval   = "interval" ( text | terms ) [ unit ]
 *   moment     = ( "date" | "timestamp" ) text
 *   field      = name { "." name } [ "." "*" ]
 *   call       = name "(" … ")" [ "(" … ")" ] [ "over" "(" … ")" ]
 */

/** Operators, comparisons and the like in a row. */
const MAX_CHAIN = 250;
/** Steps of a path such as `properties.a.b`. */
const MAX_PATH = 50;
const MAX_ARGUMENTS = 20;
const MAX_DIGITS = 100;
const COMPARISONS: Record<string, string> = {
  '=': '=',
  '==': '=',
  '!=': '!=',
  '<>': '!=',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
};
const MATCHES: Record<string, { name: string; not: boolean; folded?: true }> = {
  '=~': { name: 'match', not: false },
  '!~': { name: 'match', not: true },
  '=~*': { name: 'match', not: false, folded: true },
  '!~*': { name: 'match', not: true, folded: true },
};
const TERMS: Record<string, number> = { '??': 1, '||': 2, '+': 3, '-': 3, '*': 4, '/': 4, '%': 4 };

export const call = (name: string, args: Expr[]): Expr => ({ is: 'call', name, params: null, args, distinct: false, over: null });
const negated = (of: Expr, not: boolean): Expr => (not ? { is: 'not', of } : of);

/** Reads an expression. */
export const parseExpression = (cursor: Cursor): Expr => cursor.deeper(() => lambda(cursor) ?? choice(cursor));

function lambda(cursor: Cursor): Expr | null {
  const bare = cursor.peek().type === 'name' && cursor.peek(1).text === '->' && cursor.peek(1).type === 'symbol';
  if (!bare && !seesNamesInBrackets(cursor)) return null;
  const inBrackets = cursor.takes('(');
  const names = cursor.list(cursor.name);
  if (names.length > MAX_ARGUMENTS) throw new SqlFault(`A lambda may have ${MAX_ARGUMENTS} arguments.`);
  if (inBrackets) cursor.must(')');
  cursor.must('->');
  return { is: 'lambda', names, body: parseExpression(cursor) };
}

function seesNamesInBrackets(cursor: Cursor): boolean {
  if (!cursor.sees('(')) return false;
  let ahead = 1;
  while (cursor.peek(ahead).type === 'name' && cursor.peek(ahead + 1).text === ',') ahead += 2;
  return cursor.peek(ahead).type === 'name' && cursor.peek(ahead + 1).text === ')' && cursor.peek(ahead + 2).text === '->';
}

function choice(cursor: Cursor): Expr {
  const test = some(cursor);
  if (!cursor.takes('?')) return test;
  const then = parseExpression(cursor);
  cursor.must(':');
  return call('if', [test, then, parseExpression(cursor)]);
}

function some(cursor: Cursor): Expr {
  const of = [every(cursor)];
  while (cursor.takes('or')) of.push(every(cursor));
  const [only] = of;
  return only && of.length === 1 ? only : { is: 'some', of };
}

function every(cursor: Cursor): Expr {
  const of = [not(cursor)];
  while (cursor.takes('and')) of.push(not(cursor));
  const [only] = of;
  return only && of.length === 1 ? only : { is: 'every', of };
}

const not = (cursor: Cursor): Expr =>
  cursor.takes('not') ? { is: 'not', of: cursor.deeper(() => not(cursor)) } : comparison(cursor);

function comparison(cursor: Cursor): Expr {
  let left = terms(cursor, 1);
  for (let count = 0; ; count++) {
    if (count > MAX_CHAIN) throw new SqlFault('The query is too long.');
    const further = compared(cursor, left);
    if (!further) return left;
    left = further;
  }
}

function compared(cursor: Cursor, left: Expr): Expr | null {
  const { type, text } = cursor.peek();
  const operator = type === 'symbol' ? COMPARISONS[text] : undefined;
  if (operator) {
    cursor.next();
    return { is: 'binary', operator, left, right: terms(cursor, 1) };
  }
  const matches = type === 'symbol' ? MATCHES[text] : undefined;
  if (matches) {
    cursor.next();
    const pattern = terms(cursor, 1);
    const folded = matches.folded ? call('concat', [{ is: 'text', value: '(?i)' }, pattern]) : pattern;
    return negated(call(matches.name, [left, folded]), matches.not);
  }
  if (cursor.takes('is')) {
    const isNot = cursor.takes('not');
    cursor.must('null');
    return { is: 'null-test', of: left, not: isNot };
  }
  const isNot = cursor.sees('not') && ['in', 'like', 'ilike', 'between'].includes(cursor.peek(1).text.toLowerCase());
  if (isNot) cursor.next();
  if (cursor.takes('in')) return { is: 'in', left, right: terms(cursor, 1), not: isNot };
  for (const name of ['like', 'ilike']) {
    if (cursor.takes(name)) return negated(call(name, [left, terms(cursor, 1)]), isNot);
  }
  if (!cursor.takes('between')) return null;
  const low = terms(cursor, 1);
  cursor.must('and');
  const bounds: Expr[] = [
    { is: 'binary', operator: '>=', left, right: low },
    { is: 'binary', operator: '<=', left, right: terms(cursor, 1) },
  ];
  return negated({ is: 'every', of: bounds }, isNot);
}

/** Operators that bind at least so strongly, from left to right. */
function terms(cursor: Cursor, least: number): Expr {
  let left = signed(cursor);
  for (let count = 0; ; count++) {
    if (count > MAX_CHAIN) throw new SqlFault('The query is too long.');
    const { type, text } = cursor.peek();
    const strength = type === 'symbol' ? TERMS[text] : undefined;
    if (strength === undefined || strength < least) return left;
    cursor.next();
    const right = terms(cursor, strength + 1);
    if (text === '||') left = call('concat', [left, right]);
    else if (text === '??') left = call('coalesce', [left, right]);
    else left = { is: 'binary', operator: text, left, right };
  }
}

function signed(cursor: Cursor): Expr {
  if (cursor.takes('-')) return { is: 'minus', of: cursor.deeper(() => signed(cursor)) };
  return parts(cursor);
}

/** A value, and what is read of it: `.1`, `['key']`, `::type`. */
function parts(cursor: Cursor): Expr {
  let of = value(cursor);
  for (let count = 0; ; count++) {
    if (count > MAX_PATH) throw new SqlFault(`A path may have ${MAX_PATH} steps.`);
    if (cursor.takes('[')) {
      of = { is: 'part', of, at: parseExpression(cursor) };
      cursor.must(']');
    } else if (cursor.takes('::')) {
      of = { is: 'cast', of, type: parseType(cursor) };
    } else if (cursor.takes('.')) {
      const { type, text } = cursor.next();
      if (type === 'number' && /^\d{1,4}$/.test(text)) of = call('tupleElement', [of, { is: 'number', value: text }]);
      else if (of.is === 'part' && (type === 'name' || type === 'quoted'))
        of = { is: 'part', of, at: { is: 'text', value: text } };
      else throw new SqlFault(`".${text.slice(0, 100)}" is not allowed there.`);
    } else return of;
  }
}

function value(cursor: Cursor): Expr {
  const { type, text } = cursor.peek();
  if (type === 'text' || type === 'number') {
    cursor.next();
    return { is: type, value: type === 'number' ? numberText(text) : text };
  }
  if (cursor.takes('*')) return { is: 'star', of: null };
  if (cursor.takes('[')) return { is: 'array', of: closed(cursor, ']') };
  if (cursor.takes('{')) return placeholder(cursor);
  if (cursor.takes('(')) return bracket(cursor);
  if (type === 'name') {
    const word = keyword(cursor, text.toLowerCase());
    if (word) return word;
  }
  return field(cursor);
}

/** As the engine reads it, without forms that it reads in another way. */
function numberText(text: string): string {
  if (text.length > MAX_DIGITS) throw new SqlFault(`A number may have ${MAX_DIGITS} digits.`);
  return /^\d+$/.test(text) ? BigInt(text).toString() : String(Number(text));
}

function keyword(cursor: Cursor, word: string): Expr | null {
  if (cursor.peek(1).text === '.') return null;
  if (word === 'null' || word === 'true' || word === 'false') {
    cursor.next();
    return { is: 'constant', value: word };
  }
  if (word === 'case') return cases(cursor);
  if (word === 'interval' && cursor.peek(1).text !== '(' && cursor.peek(1).text !== ',') return interval(cursor);
  if ((word === 'date' || word === 'timestamp') && cursor.peek(1).type === 'text') {
    cursor.next();
    return call(word === 'date' ? 'toDate' : 'toDateTime', [{ is: 'text', value: cursor.next().text }]);
  }
  if (word === 'cast' && cursor.peek(1).text === '(') {
    cursor.must('cast', '(');
    const of = parseExpression(cursor);
    cursor.must('as');
    const type = parseType(cursor);
    cursor.must(')');
    return { is: 'cast', of, type };
  }
  if (word === 'extract' && cursor.peek(2).type === 'name' && cursor.peek(3).text.toLowerCase() === 'from') {
    cursor.must('extract', '(');
    const unit = unitOf(cursor);
    cursor.must('from');
    const of = parseExpression(cursor);
    cursor.must(')');
    return call(`to${unit === 'day' ? 'DayOfMonth' : unit}`, [of]);
  }
  return null;
}

function cases(cursor: Cursor): Expr {
  cursor.must('case');
  const of = cursor.sees('when') ? null : parseExpression(cursor);
  const when: { test: Expr; result: Expr }[] = [];
  while (cursor.takes('when')) {
    const test = parseExpression(cursor);
    cursor.must('then');
    when.push({ test, result: parseExpression(cursor) });
  }
  if (when.length === 0) cursor.fail();
  const otherwise = cursor.takes('else') ? parseExpression(cursor) : null;
  cursor.must('end');
  return { is: 'case', of, when, otherwise };
}

function interval(cursor: Cursor): Expr {
  cursor.must('interval');
  if (cursor.peek().type !== 'text') return { is: 'interval', amount: terms(cursor, 1), unit: unitOf(cursor) };
  const { text } = cursor.next();
  const [, amount, unit] = /^\s*(\d+)\s+([a-z]+)\s*$/i.exec(text) ?? [];
  if (amount && unit) return { is: 'interval', amount: { is: 'number', value: numberText(amount) }, unit: toUnit(unit) };
  if (!/^\s*\d+\s*$/.test(text)) throw new SqlFault(`"${text.slice(0, 100)}" is no interval.`);
  return { is: 'interval', amount: { is: 'number', value: numberText(text.trim()) }, unit: unitOf(cursor) };
}

const unitOf = (cursor: Cursor): Unit => toUnit(cursor.next().text);

function toUnit(text: string): Unit {
  const unit = UNITS.find((one) => one === text.toLowerCase().replace(/s$/, ''));
  if (!unit) throw new SqlFault(`"${text.slice(0, 100)}" is no unit of time.`);
  return unit;
}

/** Expressions up to a closing bracket. */
export function closed(cursor: Cursor, bracket: string): Expr[] {
  if (cursor.takes(bracket)) return [];
  const items = cursor.list(() => parseExpression(cursor));
  cursor.must(bracket);
  return items;
}

function placeholder(cursor: Cursor): Expr {
  const chain = [cursor.next().text];
  while (cursor.takes('.') && chain.length < MAX_PATH) chain.push(cursor.next().text);
  cursor.must('}');
  return cursor.placeholder(chain);
}

function bracket(cursor: Cursor): Expr {
  if (cursor.sees('select') || cursor.sees('with')) {
    const query = cursor.select();
    cursor.must(')');
    return { is: 'query', query };
  }
  const items: Expr[] = [];
  while (!cursor.takes(')')) {
    items.push(parseExpression(cursor));
    if (!cursor.takes(',')) {
      cursor.must(')');
      const [only] = items;
      return only && items.length === 1 ? only : { is: 'tuple', of: items };
    }
  }
  return { is: 'tuple', of: items };
}

function field(cursor: Cursor): Expr {
  const isPlain = cursor.peek().type === 'name';
  const chain = [seesFunction(cursor) ? cursor.next().text : cursor.name()];
  if (isPlain && cursor.sees('(')) return parseCall(cursor, chain[0] ?? '', parseExpression);
  while (cursor.sees('.') && cursor.peek(1).type !== 'number') {
    cursor.next();
    if (cursor.takes('*')) return { is: 'star', of: chain.join('.') };
    const { type, text } = cursor.next();
    if (type !== 'name' && type !== 'quoted') throw new SqlFault(`"${text.slice(0, 100)}" is not allowed there.`);
    chain.push(text);
    if (chain.length > MAX_PATH) throw new SqlFault(`A path may have ${MAX_PATH} steps.`);
  }
  if (cursor.sees('(')) throw new SqlFault(`"${chain.join('.').slice(0, 100)}" is not a function.`);
  return { is: 'field', chain };
}

/** Whether a function is called next, also one whose name is a word of the language elsewhere: `any(event)`, `left(text, 3)`. */
function seesFunction(cursor: Cursor): boolean {
  const { type, text } = cursor.peek();
  return type === 'name' && cursor.peek(1).text === '(' && findFunction(text) !== null;
}
