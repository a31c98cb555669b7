import { RE2JS } from 're2js';
import type { Cache, Caches } from '../caches/index.js';

/** Limit of compiled patterns. */
const MAX_COMPILED = 2_000;
/** Limit of a pattern in characters; compiling and matching take time in proportion to it. */
const MAX_PATTERN = 2_000;
/** Characters of a text that are searched. */
const MAX_TEXT = 20_000;
/**
 * The cost of a search: characters of the pattern times characters of the text, each about 20 ns at worst. A search up to the first
 * costs nothing; of longer ones an evaluation may make as many as come to the second, which is about 40 ms.
 */
const FREE_COST = 20_000;
const MAX_COST = 2_000_000;

/** Compiled patterns; null: invalid. */
export type CompiledRegexes = Cache<string, RE2JS | null>;

export const createCompiledRegexes = (caches: Caches): CompiledRegexes =>
  caches.create({ name: 'flag_regexes', max: { entries: MAX_COMPILED } });

/** Whether it is a pattern that can be searched in linear time: look-around and back references cannot. */
export const isRegex = (pattern: string): boolean => compile(pattern) !== null;

/**
 * A search function for one evaluation: whether the text matches the pattern; null if the pattern is invalid, or if the evaluation has exhausted its
 * budget.
 */
export function createRegexSearch(compiled: CompiledRegexes): (pattern: string, text: string) => boolean | null {
  let left = MAX_COST;
  return (pattern, text) => {
    const regex = find(compiled, pattern);
    if (!regex) return null;
    const searched = text.slice(0, MAX_TEXT);
    const cost = pattern.length * searched.length;
    if (cost > FREE_COST) {
      if (cost > left) return null;
      left -= cost;
    }
    return regex.matcher(searched).find();
  };
}

function find(compiled: CompiledRegexes, pattern: string): RE2JS | null {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  const regex = compile(pattern);
  compiled.set(pattern, regex);
  return regex;
}

function compile(pattern: string): RE2JS | null {
  if (pattern.length > MAX_PATTERN) return null;
  try {
    return RE2JS.compile(pattern);
  } catch {
    return null;
  }
}
