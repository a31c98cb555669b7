import { testsIn } from './compile.js';
import { type PreparedFlags, testsOf, withDependencies } from './prepare.js';

/** What flags look at, so that only that is fetched. */
export interface Needs {
  readonly person: ReadonlySet<string>;
  /** By group type index. */
  readonly groups: ReadonlyMap<number, ReadonlySet<string>>;
  /** Cohorts whose membership `isInStaticCohort` must tell. */
  readonly memberships: ReadonlySet<number>;
  /** Whether `hashKey` matters. */
  readonly continuity: boolean;
}

/** What all active flags look at, or those of the keys with all that they depend on. */
export function propertiesNeeded(prepared: PreparedFlags, only?: ReadonlySet<string>): Needs {
  const person = new Set<string>();
  const groups = new Map<number, Set<string>>();
  const memberships = new Set<number>();
  const add = (slot: number, owner: number | null = null) => {
    const key = prepared.keys[slot] ?? '';
    if (owner !== null) return groups.set(owner, (groups.get(owner) ?? new Set()).add(key));
    person.add(key);
    // what a person has now stands in for what they had first
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
