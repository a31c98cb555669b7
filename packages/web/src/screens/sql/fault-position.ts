/**
 * Where an error of a select stands in its text: at the position that it names, else at the first place of the name that it quotes.
 * @returns null if the error has no place
 */
export function faultPosition(sql: string, message: string): { from: number; to: number } | null {
  if (message.includes('ends too early')) {
    const end = sql.trimEnd().length;
    return end === 0 ? null : { from: end - 1, to: end };
  }
  const position = /position (\d+)/.exec(message)?.[1];
  if (position !== undefined) {
    const from = Number(position) - 1;
    const word = /^[\p{L}\p{N}_$]+/u.exec(sql.slice(from))?.[0] ?? ' ';
    return from < sql.length ? { from, to: from + word.length } : null;
  }
  const quoted = /"([^"]+)"/.exec(message)?.[1] ?? /^\{([^}]+)\}/.exec(message)?.[1];
  if (quoted === undefined) return null;
  const isPartOfWord = (at: number) => /[\p{L}\p{N}_$]/u.test(sql.charAt(at));
  const startsAsWord = /^[\p{L}\p{N}_$]/u.test(quoted);
  const lower = sql.toLowerCase();
  for (let from = lower.indexOf(quoted.toLowerCase()); from >= 0; from = lower.indexOf(quoted.toLowerCase(), from + 1)) {
    const to = from + quoted.length;
    if (!startsAsWord || (!isPartOfWord(from - 1) && !isPartOfWord(to))) return { from, to };
  }
  return null;
}

/** The line and the column of a place, both from 1. */
export function lineAndColumn(sql: string, at: number): { line: number; column: number } {
  const before = sql.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}
