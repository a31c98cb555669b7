import { dependenciesOf } from './feed-dependencies.js';
import type { FlagRow } from './store.js';

/** The keys of the flags of which `is` holds, and of those that depend on them. */
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
