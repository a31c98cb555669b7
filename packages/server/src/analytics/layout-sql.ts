/*
 * SQL for people to read: a clause a line, subqueries indented, bound values in their places. Never run.
 */

const TOKENS =
  /'(?:[^'\\]|\\.|'')*'|`(?:[^`\\]|\\.)*`|"(?:[^"\\]|\\.)*"|\{(\w+):[^{}]+\}|\s+|[A-Za-z_]\w*|[()]|[^\s\w()'"`{]+|./gs;

/** Words that begin a clause, and those that may follow them in it. */
const CLAUSES: ReadonlySet<string> = new Set(['from', 'where', 'group', 'having', 'order', 'limit', 'union', 'with', 'prewhere']);
/** Words before `join`. */
const JOINS: ReadonlySet<string> = new Set(['global', 'any', 'left', 'inner', 'right', 'full', 'array', 'join', 'cross', 'asof']);

/** Values of a list that are shown. */
const MAX_VALUES = 20;

/** The statement on several lines, with its `{name:Type}` placeholders replaced by values. */
export function layoutSql(sql: string, params: Readonly<Record<string, unknown>> = {}): string {
  const tokens = [...sql.matchAll(TOKENS)].map(([text, name]) => ({ text, name }));
  /** Of each open parenthesis: whether it holds a subquery. */
  const open: boolean[] = [];
  const out: string[] = [];
  let depth = 0;
  let isInJoin = false;
  /** White space before the next token; nothing at the beginning. */
  let gap = '';
  const write = (text: string) => {
    out.push(out.length === 0 ? '' : gap, text);
    gap = '';
  };
  const breakLine = () => {
    gap = `\n${'  '.repeat(depth)}`;
  };
  for (const [index, { text, name }] of tokens.entries()) {
    const first = text.charCodeAt(0);
    // white space
    if (first <= 32) {
      gap ||= ' ';
    } else if (text === '(') {
      const next = tokens.slice(index + 1, index + 3).find((token) => token.text.charCodeAt(0) > 32);
      const isSubquery = /^(select|with)$/i.test(next?.text ?? '');
      write(text);
      open.push(isSubquery);
      if (isSubquery) depth += 1;
      if (isSubquery) breakLine();
    } else if (text === ')') {
      if (open.pop()) {
        depth -= 1;
        breakLine();
      } else {
        gap = '';
      }
      write(text);
    } else {
      const word = text.toLowerCase();
      const beginsJoin: boolean = !isInJoin && JOINS.has(word) && isJoin(tokens, index);
      if ((open.at(-1) ?? true) && (beginsJoin || CLAUSES.has(word))) breakLine();
      isInJoin = JOINS.has(word) && word !== 'join' && (isInJoin || beginsJoin);
      write(name !== undefined && Object.hasOwn(params, name) ? literal(params[name]) : text);
    }
  }
  return out.join('');
}

/** Whether the words from here lead to `join`. */
function isJoin(tokens: readonly { text: string }[], from: number): boolean {
  for (const { text } of tokens.slice(from, from + 12)) {
    if (/^\s/.test(text)) continue;
    if (text.toLowerCase() === 'join') return true;
    if (!JOINS.has(text.toLowerCase())) return false;
  }
  return false;
}

function literal(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (value === null || value === undefined) return 'null';
  if (!Array.isArray(value)) return quoted(String(value));
  const more = value.length - MAX_VALUES;
  return `[${value.slice(0, MAX_VALUES).map(literal).join(', ')}${more > 0 ? ` /* and ${more} more */` : ''}]`;
}

const quoted = (text: string): string => `'${text.replace(/['\\]/g, '\\$&')}'`;
