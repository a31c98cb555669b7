import { isObject } from '../kernel/json.js';
import type { FlagRow } from './store.js';

/** The dependency chain of a flag. */
export interface DependencyChain {
  key: string;
  /** Keys in the order of evaluation, ending with the flag's own; empty: a cycle or a missing flag. */
  chain: readonly string[];
}

/** By id as text and, unless another flag has that id, by key. */
export function dependencyChains(flags: readonly FlagRow[]): Map<string, DependencyChain> {
  const flagOf = new Map<string, FlagRow>();
  for (const flag of flags) flagOf.set(flag.key, flag);
  for (const flag of flags) flagOf.set(String(flag.id), flag);
  const done = new Map<FlagRow, readonly string[] | null>();

  /** null: a cycle, or a flag is missing. */
  const chainOf = (flag: FlagRow, path: ReadonlySet<FlagRow>): readonly string[] | null => {
    const known = done.get(flag);
    if (known !== undefined) return known;
    if (path.has(flag)) return null;
    const within = new Set([...path, flag]);
    const parts = dependenciesOf(flag).map((name) => {
      const next = flagOf.get(name);
      return next ? chainOf(next, within) : null;
    });
    const chain = parts.every((part) => part !== null) ? [...new Set([...parts.flat(), flag.key])] : null;
    done.set(flag, chain);
    return chain;
  };

  return new Map([...flagOf].map(([name, flag]) => [name, { key: flag.key, chain: chainOf(flag, new Set()) ?? [] }]));
}

/** Names (ids or keys) of the flags that a flag depends on directly. */
export function dependenciesOf({ filters }: Pick<FlagRow, 'filters'>): string[] {
  const groups = isObject(filters) && Array.isArray(filters.groups) ? filters.groups : [];
  const properties = groups.flatMap((group) => (isObject(group) && Array.isArray(group.properties) ? group.properties : []));
  return properties.flatMap((property) => (isObject(property) && property.type === 'flag' ? [String(property.key)] : []));
}

/** Keys of the flags that satisfy `is`, and of all flags that depend on them, directly or not. */
export function dependentsOf(flags: readonly FlagRow[], is: (flag: FlagRow) => boolean): ReadonlySet<string> {
  const found = new Set(flags.filter(is));
  for (let grown = true; grown; ) {
    grown = false;
    const names = new Set([...found].flatMap((flag) => [String(flag.id), flag.key]));
    for (const flag of flags) {
      if (found.has(flag) || !dependenciesOf(flag).some((name) => names.has(name))) continue;
      found.add(flag);
      grown = true;
    }
  }
  return new Set([...found].map(({ key }) => key));
}
