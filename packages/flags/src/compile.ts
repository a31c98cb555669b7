import { operatorOf } from './operators.js';
import type { PreparedFlag } from './prepare.js';
import type { Run } from './run.js';
import type { Cohorts } from './types.js';
import { isRecord, listOf, recordOf } from './value.js';

/** Whether a subject passes; undefined: not known. `group` is what the condition is about, null for people. */
export type Test = (run: Run, group: number | null) => boolean | undefined;

/** What a flag or a cohort looks at. */
export interface Uses {
  readonly person: Set<string>;
  readonly groups: Map<number, Set<string>>;
  /** Cohorts whose membership the subject must tell. */
  readonly memberships: Set<number>;
  readonly flags: Set<PreparedFlag>;
  /** Whether it names a flag that does not exist. */
  missingFlag: boolean;
}

export const noUses = (): Uses => ({
  person: new Set(),
  groups: new Map(),
  memberships: new Set(),
  flags: new Set(),
  missingFlag: false,
});

export function addUses(to: Uses, from: Uses): void {
  for (const key of from.person) to.person.add(key);
  for (const [index, keys] of from.groups) for (const key of keys) usesGroup(to, index).add(key);
  for (const id of from.memberships) to.memberships.add(id);
  for (const flag of from.flags) to.flags.add(flag);
  to.missingFlag ||= from.missingFlag;
}

function usesGroup(uses: Uses, index: number): Set<string> {
  const keys = uses.groups.get(index) ?? new Set();
  uses.groups.set(index, keys);
  return keys;
}

interface Cohort {
  readonly position: number;
  readonly id: number;
  /** `list`: membership is the subject's to tell. `broken`: it contains itself. */
  state: 'compiling' | 'tree' | 'list' | 'broken';
  test: Test;
  readonly uses: Uses;
}

const never: Test = () => false;
const PERSON_TYPES = new Set<unknown>(['person', 'person_metadata', 'group', undefined, null]);

/** Turns properties into tests. Whatever cannot be read never matches. */
export class Compiler {
  readonly keys: string[] = [];
  readonly #slots = new Map<string, number>();
  readonly #cohorts = new Map<string, Cohort>();

  constructor(
    readonly definitions: Cohorts,
    readonly flagOf: (key: string, isKey: boolean) => PreparedFlag | undefined,
  ) {}

  slotOf(key: string): number {
    let slot = this.#slots.get(key);
    if (slot === undefined) {
      slot = this.keys.push(key) - 1;
      this.#slots.set(key, slot);
    }
    return slot;
  }

  property(source: unknown, uses: Uses, group: number | null): Test {
    const { key, type, operator, value, group_type_index: own } = recordOf(source);
    if (type === 'cohort') return this.#cohort(operator, value, uses);
    if (type === 'flag') return this.#flag(source, uses);
    const matching = operatorOf(operator, value);
    if (!matching || typeof key !== 'string' || !PERSON_TYPES.has(type)) return never;
    const { matches, absent } = matching;
    const slot = this.slotOf(key);
    const owner = type === 'group' && typeof own === 'number' ? own : `${type}`.startsWith('person') ? null : group;
    (owner === null ? uses.person : usesGroup(uses, owner)).add(key);
    return (run) => {
      const cell = run.cell(slot, owner);
      return cell ? matches(cell, run) : run.subject.incomplete ? undefined : absent;
    };
  }

  #flag(source: unknown, uses: Uses): Test {
    const { key, value, dependency_chain: chain } = recordOf(source);
    const flag = this.flagOf(String(key), chain !== undefined);
    if (!flag) {
      uses.missingFlag = true;
      return never;
    }
    uses.flags.add(flag);
    return (run) => {
      const result = run.results[flag.position];
      if (!result || result.inconclusive) return undefined;
      return typeof value === 'boolean'
        ? (result.value !== false) === value
        : result.variant !== null && result.variant === value;
    };
  }

  #cohort(operator: unknown, value: unknown, uses: Uses): Test {
    const members = (Array.isArray(value) ? value : [value]).map((id) => this.#cohortOf(id, uses));
    if (members.some(({ state }) => state === 'broken' || state === 'compiling')) return never;
    const wanted = operator !== 'not_in';
    if (wanted && operator !== 'in' && operator !== 'exact' && operator !== undefined && operator !== null) return never;
    const inAny = any(members.map((cohort) => (run) => memberOf(cohort, run)));
    return (run) => {
      const member = inAny(run, null);
      return member === undefined ? undefined : member === wanted;
    };
  }

  #cohortOf(value: unknown, uses: Uses): Cohort {
    const id = String(value);
    let cohort = this.#cohorts.get(id);
    if (!cohort) {
      cohort = { position: this.#cohorts.size, id: Number(id), state: 'compiling', test: never, uses: noUses() };
      this.#cohorts.set(id, cohort);
      this.#define(cohort, id);
    }
    addUses(uses, cohort.uses);
    return cohort;
  }

  #define(cohort: Cohort, id: string): void {
    const stored = Object.hasOwn(this.definitions, id) ? recordOf(this.definitions[id]) : undefined;
    const test = stored && this.#group(isRecord(stored['properties']) ? stored['properties'] : stored, cohort);
    if (test) {
      cohort.test = test;
      // unless something inside turned out to lead back here
      if (cohort.state === 'compiling') cohort.state = 'tree';
    } else {
      cohort.state = Number.isInteger(cohort.id) ? 'list' : 'broken';
      if (cohort.state === 'list') cohort.uses.memberships.add(cohort.id);
    }
  }

  /** Undefined: there is something in it (what people did, say) that only its list of members tells. */
  #group(source: Record<string, unknown>, cohort: Cohort): Test | undefined {
    const tests: Test[] = [];
    for (const value of listOf(source['values'])) {
      const test = this.#member(recordOf(value), cohort);
      if (!test) return undefined;
      tests.push(test);
    }
    return String(source['type']).toUpperCase() === 'OR' && tests.length ? any(tests) : all(tests);
  }

  #member(source: Record<string, unknown>, cohort: Cohort): Test | undefined {
    if (Array.isArray(source['values'])) return this.#group(source, cohort);
    const { type, key, operator, value, negation } = source;
    const about = type === 'cohort' || type === 'flag' ? type : PERSON_TYPES.has(type) ? 'person' : undefined;
    if (!about) return undefined;
    if (about === 'cohort') {
      const inner = (Array.isArray(value) ? value : [value]).map((id) => this.#cohortOf(id, cohort.uses));
      if (inner.some(({ state }) => state === 'broken' || state === 'compiling')) cohort.state = 'broken';
    }
    // what cannot be read matches nobody, not everybody, when it is negated
    const odd = about === 'person' && (!operatorOf(operator, value) || typeof key !== 'string');
    const test = this.property({ ...source, type: about }, cohort.uses, null);
    if (odd || negation !== true) return test;
    return (run) => {
      const passes = test(run, null);
      return passes === undefined ? undefined : !passes;
    };
  }
}

/** Cohorts are about people and the same for all flags: computed once. */
function memberOf({ id, position, state, test }: Cohort, run: Run): boolean | undefined {
  let member = run.cohorts[position];
  if (member === undefined) {
    member = (state === 'list' ? run.subject.isInStaticCohort?.(id) : test(run, null)) ?? null;
    run.cohorts[position] = member;
  }
  return member ?? undefined;
}

export const all =
  (tests: readonly Test[]): Test =>
  (run, group) => {
    let passes: boolean | undefined = true;
    for (const test of tests) {
      const one = test(run, group);
      if (one === false) return false;
      if (one === undefined) passes = undefined;
    }
    return passes;
  };

const any =
  (tests: readonly Test[]): Test =>
  (run, group) => {
    let passes: boolean | undefined = false;
    for (const test of tests) {
      const one = test(run, group);
      if (one === true) return true;
      if (one === undefined) passes = undefined;
    }
    return passes;
  };
