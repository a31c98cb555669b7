const LONGEST_PATTERN = 1000;
const LONGEST_TEXT = 4000;
const MOST_PATTERNS = 1000;
const compiled = new Map<string, RegExp>();

/** Searches with JavaScript's own engine, which may backtrack exponentially. Callers that evaluate untrusted patterns inject a linear-time engine. */
export function searchBounded(pattern: string, text: string): boolean | null {
  if (pattern.length > LONGEST_PATTERN || text.length > LONGEST_TEXT) return null;
  try {
    const regex = compiled.get(pattern) ?? new RegExp(pattern);
    if (compiled.size >= MOST_PATTERNS) compiled.clear();
    compiled.set(pattern, regex);
    return regex.test(text);
  } catch {
    return null;
  }
}
