import type { KnownFlag } from './known-store.js';

/** The flags that name a flag in their conditions, one after the other as the project has them. */
export const dependentsOf = ({ id, key }: Pick<KnownFlag, 'id' | 'key'>, flags: readonly KnownFlag[]): KnownFlag[] =>
  flags.filter((flag) => flag.id !== id && flag.depends.some((name) => name === String(id) || name === key));

/**
 * The keys of a circle that flag `id` would be in if it depended on what `depends` names; null: there is none. A flag that
 * names itself is a circle of one.
 */
export function cycleFrom(id: number, depends: readonly string[], flags: readonly KnownFlag[]): string[] | null {
  const byName = new Map<string, KnownFlag>();
  for (const flag of flags) byName.set(flag.key, flag);
  // an id wins over a key that looks like it, as in evaluation
  for (const flag of flags) byName.set(String(flag.id), flag);
  const own = byName.get(String(id));
  if (!own) return null;
  const from = new Map<KnownFlag, KnownFlag>();
  const queue: [KnownFlag, readonly string[]][] = [[own, depends]];
  for (const [flag, names] of queue) {
    for (const name of names) {
      const next = byName.get(name);
      if (!next) continue;
      if (next === own) return pathTo(flag, own, from);
      if (from.has(next)) continue;
      from.set(next, flag);
      queue.push([next, next.depends]);
    }
  }
  return null;
}

function pathTo(last: KnownFlag, own: KnownFlag, from: ReadonlyMap<KnownFlag, KnownFlag>): string[] {
  const keys = [own.key];
  for (let flag: KnownFlag | undefined = last; flag && flag !== own; flag = from.get(flag)) keys.unshift(flag.key);
  return [own.key, ...keys];
}
