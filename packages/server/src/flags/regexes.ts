import { RE2JS } from 're2js';

/** How many patterns are kept compiled. */
const MOST = 2_000;
/** Longest pattern compiled; compiling and matching take time in proportion to it. */
const MAX_PATTERN = 2_000;
/** Characters of a text that are searched. */
const MAX_TEXT = 20_000;

const compiled = new Map<string, RE2JS | null>();

/**
 * Whether the pattern is found in the text; null when it is no pattern. Searches in linear time, whatever the pattern: so
 * look-around and back references, which cannot be, count as no pattern.
 */
export function matchesRegex(pattern: string, text: string): boolean | null {
  let regex = compiled.get(pattern);
  if (regex === undefined) {
    regex = compile(pattern);
    if (compiled.size >= MOST) compiled.clear();
    compiled.set(pattern, regex);
  }
  return regex ? regex.matcher(text.slice(0, MAX_TEXT)).find() : null;
}

function compile(pattern: string): RE2JS | null {
  if (pattern.length > MAX_PATTERN) return null;
  try {
    return RE2JS.compile(pattern);
  } catch {
    return null;
  }
}
