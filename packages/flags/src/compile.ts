import { type Matches, operatorOf } from './operators.js';
import type { PreparedFlag } from './prepare.js';
import type { Run } from './run.js';
import type { Cohorts } from './types.js';
import { listOf, manyOf, recordOf } from './value.js';

/** One question about the subject. `owner`: whose property, null for the person. */
export type Test =
  | {
      readonly kind: 'property';
      readonly slot: number;
      readonly owner: number | null;
      readonly matches: Matches;
      readonly negated: boolean;
    }
  | { readonly kind: 'flag'; readonly flag: PreparedFlag | undefined; readonly value: unknown; readonly negated: boolean }
  | { readonly kind: 'cohort'; readonly cohort: Cohort; readonly negated: boolean }
  | { readonly kind: 'all' | 'any'; readonly tests: readonly Test[]; readonly negated: boolean }
  | { readonly kind: 'never' };

export interface Cohort {
  readonly position: number;
  readonly id: number;
  /** `list`: membership is the subject's to tell. `broken`: it contains itself, as far as is known while it is read, or what cannot be read. */
  state: 'broken' | 'tree' | 'list';
  test: Test;
}

const NEVER: Test = { kind: 'never' };

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
    const slot = this.#slots.get(key) ?? this.keys.length;
    if (slot === this.keys.length) this.#slots.set(key, this.keys.push(key) - 1);
    return slot;
  }

  /** `group`: what the condition is about, null for people. Undefined: it is of a type that only lists of members tell. */
  property(source: unknown, group: number | null, inverted = false): Test | undefined {
    const { key, type, operator, value, dependency_chain: chain, group_type_index: own } = recordOf(source);
    if (type === 'cohort') return this.#inCohort(operator, value, inverted);
    if (type === 'flag') {
      return { kind: 'flag', flag: this.flagOf(String(key), chain !== undefined), value, negated: inverted };
    }
    const ofPerson = type === 'person' || type === 'person_metadata';
    if (type && !ofPerson && type !== 'group') return undefined;
    const read = operatorOf(operator, value);
    if (!read || typeof key !== 'string') return NEVER;
    const owner = ofPerson ? null : type && typeof own === 'number' ? own : group;
    return { kind: 'property', slot: this.slotOf(key), owner, matches: read.matches, negated: read.negated !== inverted };
  }

  #inCohort(operator: unknown, value: unknown, inverted: boolean): Test {
    const cohorts = manyOf(value).map((id) => this.#cohortOf(String(id)));
    const known = !operator || operator === 'in' || operator === 'exact' || operator === 'not_in';
    if (!known || cohorts.some(({ state }) => state === 'broken')) return NEVER;
    const tests = cohorts.map((cohort): Test => ({ kind: 'cohort', cohort, negated: false }));
    return { kind: 'any', tests, negated: (operator === 'not_in') !== inverted };
  }

  #cohortOf(id: string): Cohort {
    let cohort = this.#cohorts.get(id);
    if (!cohort) {
      cohort = { position: this.#cohorts.size, id: Number(id), state: 'broken', test: NEVER };
      this.#cohorts.set(id, cohort);
      const stored = Object.hasOwn(this.definitions, id) ? recordOf(this.definitions[id]) : undefined;
      const test = stored && this.#group(stored);
      if (test) {
        cohort.test = test;
        cohort.state = isOdd(test) ? 'broken' : 'tree';
      } else if (Number.isInteger(cohort.id)) cohort.state = 'list';
    }
    return cohort;
  }

  #group(source: Record<string, unknown>): Test | undefined {
    const tests: Test[] = [];
    for (const value of listOf(source['values'])) {
      const member = recordOf(value);
      const test = Array.isArray(member['values'])
        ? this.#group(member)
        : // cohorts are about people, also where the filter says otherwise
          this.property(
            { ...member, type: member['type'] === 'group' ? 'person' : member['type'] },
            null,
            member['negation'] === true,
          );
      if (!test) return undefined;
      tests.push(test);
    }
    return { kind: tests.length && /^or$/i.test(String(source['type'])) ? 'any' : 'all', tests, negated: false };
  }
}

/** A cohort with something that cannot be read has no members, and nobody is outside of it either. */
const isOdd = (test: Test): boolean =>
  test.kind === 'never' || ((test.kind === 'all' || test.kind === 'any') && test.tests.some(isOdd));

/** Whether the subject passes; undefined: not known. */
export function passes(test: Test, run: Run): boolean | undefined {
  if (test.kind === 'never') return false;
  const { negated } = test;
  let result: boolean | undefined;
  if (test.kind === 'property') {
    const cell = run.cell(test.slot, test.owner);
    if (cell) {
      const matches = test.matches(cell, run);
      return matches !== null && matches !== negated;
    }
    return run.subject.incomplete ? undefined : negated;
  }
  if (test.kind === 'flag') result = hasValue(test.flag, test.value, run);
  else if (test.kind === 'cohort') result = isMember(test.cohort, run);
  else result = passesAll(test.tests, run, test.kind === 'any');
  return result === undefined ? result : result !== negated;
}

/** Whether all pass; `orOne`: whether one does. What is unknown stays so unless another test decides. */
export function passesAll(tests: readonly Test[], run: Run, orOne = false): boolean | undefined {
  let result: boolean | undefined = !orOne;
  for (const test of tests) {
    const one = passes(test, run);
    if (one === orOne) return orOne;
    if (one === undefined) result = one;
  }
  return result;
}

function hasValue(flag: PreparedFlag | undefined, value: unknown, run: Run): boolean | undefined {
  const result = flag && run.results[flag.position];
  if (!result || result.inconclusive) return undefined;
  return typeof value === 'boolean' ? (result.value !== false) === value : result.variant !== null && result.variant === value;
}

/** Cohorts are the same for all flags: computed once. */
function isMember({ id, position, state, test }: Cohort, run: Run): boolean | undefined {
  let member = run.cohorts[position];
  if (member === undefined) {
    member = (state === 'list' ? run.subject.isInStaticCohort?.(id) : passes(test, run)) ?? null;
    run.cohorts[position] = member;
  }
  return member ?? undefined;
}

/** All tests inside, those of cohorts included. */
export function* testsIn(tests: Iterable<Test>, seen = new Set<Cohort>()): Generator<Test> {
  for (const test of tests) {
    yield test;
    if (test.kind === 'all' || test.kind === 'any') yield* testsIn(test.tests, seen);
    if (test.kind === 'cohort' && !seen.has(test.cohort)) yield* testsIn([test.cohort.test], seen.add(test.cohort));
  }
}
