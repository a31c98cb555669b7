import { testsIn } from './compile.js';
import { type PreparedFlags, testsOf, withDependencies } from './prepare.js';

/** What flags read from the subject, so that callers fetch nothing else. */
export interface Needs {
  readonly person: ReadonlySet<string>;
  /** By group type index. */
  readonly groups: ReadonlyMap<number, ReadonlySet<string>>;
  /** Ids of static cohorts, for `isInStaticCohort`. */
  readonly memberships: ReadonlySet<number>;
  /** Whether any flag uses `hashKey`. */
  readonly continuity: boolean;
}

/** Collects what all active flags read, or only the flags of these keys and their dependencies. */
export function propertiesNeeded(prepared: PreparedFlags, only?: ReadonlySet<string>): Needs {
  const person = new Set<string>();
  const groups = new Map<number, Set<string>>();
  const memberships = new Set<number>();
  const add = (slot: number, owner: number | null = null) => {
    const key = prepared.keys[slot] ?? '';
    if (owner !== null) return groups.set(owner, (groups.get(owner) ?? new Set()).add(key));
    person.add(key);
    // the current value is the fallback of an absent `$initial_` property
    if (key.startsWith('$initial_')) person.add(key.slice(9)).add(`$${key.slice(9)}`);
  };
  let continuity = false;
  for (const flag of withDependencies(prepared, only) ?? prepared.flags) {
    if (!flag.active) continue;
    continuity ||= flag.continuity;
    for (const slot of flag.enrollment?.slots ?? []) add(slot);
    for (const test of testsIn(testsOf(flag))) {
      if ('slot' in test) add(test.slot, test.owner);
      if ('cohort' in test && test.cohort.state === 'list') memberships.add(test.cohort.id);
    }
  }
  return { person, groups, memberships, continuity };
}
