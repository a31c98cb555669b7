const LONGEST_PATTERN = 1000;
/** Characters of which all engines think alike: others are spaces, ends of lines or letters to one and not to another. */
const PLAIN_TEXT = /^[\t\n\x20-\x7e]{0,4000}$/;
/** An escape that means the same everywhere, or the start of what does not. */
const ESCAPE_OR_ODD = /\\(?:[dDwWsSbBfnrt^$\\.*+?()[\]{}|/-]|x[\da-fA-F]{2})|\\|\(\?(?!:)|\[\^?\]|\[:|[^\t\n\x20-\x7e]/g;
const MOST_PATTERNS = 1000;
const compiled = new Map<string, RegExp>();

/**
 * Searches as the service does, whose engine is another one (RE2).
 * @throws Error where the two may differ: then the service must evaluate it
 */
export function searchPortably(pattern: string, text: string): boolean {
  const regex = compiled.get(pattern) ?? portable(pattern);
  if (compiled.size >= MOST_PATTERNS) compiled.clear();
  compiled.set(pattern, regex);
  if (!PLAIN_TEXT.test(text)) throw new Error('Engines read this text in different ways');
  return regex.test(text);
}

function portable(pattern: string): RegExp {
  for (const [found] of pattern.matchAll(ESCAPE_OR_ODD)) {
    if (!/^\\./.test(found)) throw new Error(`Engines read ${found} in different ways`);
  }
  if (pattern.length > LONGEST_PATTERN) throw new Error('Long patterns may take long');
  // strict, without what browsers once let through: braces and brackets that stand for themselves
  return new RegExp(pattern, 'u');
}
