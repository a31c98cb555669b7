import { type Matches, operatorOf } from './operators.js';
import type { PreparedFlag } from './prepare.js';
import type { Run } from './run.js';
import type { Cohorts } from './types.js';
import { isRecord, listOf, manyOf, own, recordOf } from './value.js';

/** A compiled predicate about the subject: on a property, a flag, a cohort, or a group of tests. `owner`: the group type of the property, null for the person. */
export type Test =
  | {
      readonly slot: number;
      readonly owner: number | null;
      readonly matches: Matches;
      readonly negated: boolean;
    }
  | { readonly key: string; readonly isKey: boolean; readonly value: unknown; readonly negated: boolean }
  | { readonly cohort: Cohort; readonly negated: boolean }
  /** `any`: OR, else AND. */
  | { readonly any: boolean; readonly tests: readonly Test[]; readonly negated: boolean };

export interface Cohort {
  readonly position: number;
  readonly id: number;
  /** `tree`: computed by `test`. `list`: the subject knows its memberships. `broken`: the cohort contains itself (it is `broken` while it is read) or something unreadable. */
  state: 'broken' | 'tree' | 'list';
  test: Test;
}

/** Unreadable filters match nobody. */
export const NEVER: Test = { any: true, tests: [], negated: false };

/** Compiles property filters to tests and assigns a slot to each property name. Unreadable filters never match. */
export interface Compiler {
  readonly keys: readonly string[];
  slotOf(key: string): number;
  /** `group`: the group type of the condition, null for people. Undefined: a filter type (such as behavior) that only static lists can answer. */
  property(source: unknown, group: number | null): Test | undefined;
}

export function createCompiler(definitions: Cohorts): Compiler {
  const keys: string[] = [];
  const slots = new Map<string, number>();
  const cohorts = new Map<string, Cohort>();

  function slotOf(key: string): number {
    const slot = slots.get(key) ?? keys.push(key) - 1;
    slots.set(key, slot);
    return slot;
  }

  function property(source: unknown, group: number | null): Test | undefined {
    const { key, type, operator, value, dependency_chain: chain, group_type_index: own } = recordOf(source);
    if (type === 'cohort') return inCohort(operator, value);
    if (type === 'flag') return { key: String(key), isKey: chain !== undefined, value, negated: false };
    const ofPerson = type === 'person' || type === 'person_metadata';
    if (type && !ofPerson && type !== 'group') return undefined;
    const read = operatorOf(operator, value);
    if (!read || typeof key !== 'string') return NEVER;
    const owner = ofPerson ? null : type && typeof own === 'number' ? own : group;
    return { slot: slotOf(key), owner, matches: read.matches, negated: read.negated };
  }

  function inCohort(operator: unknown, value: unknown): Test {
    const tests = manyOf(value).map((id) => ({ cohort: cohortOf(String(id)), negated: false }));
    const outside = operator === 'not_in' || operator === 'is_not';
    const known = outside || !operator || operator === 'in' || operator === 'exact';
    if (!known || tests.some(({ cohort }) => cohort.state === 'broken')) return NEVER;
    return { any: true, tests, negated: outside };
  }

  function cohortOf(id: string): Cohort {
    let cohort = cohorts.get(id);
    if (!cohort) {
      cohort = { position: cohorts.size, id: Number(id), state: 'broken', test: NEVER };
      cohorts.set(id, cohort);
      const stored = own(definitions, id);
      const test = isRecord(stored) ? tree(stored) : undefined;
      if (test) {
        cohort.test = test;
        cohort.state = isOdd(test) ? 'broken' : 'tree';
      } else if (Number.isInteger(cohort.id)) cohort.state = 'list';
    }
    return cohort;
  }

  function tree({ type, values }: Record<string, unknown>): Test | undefined {
    const tests: Test[] = [];
    for (const value of listOf(values)) {
      const member = recordOf(value);
      // cohorts consist of people, so a filter of type `group` reads the person, too
      const person = member['type'] === 'group' ? { ...member, type: 'person' } : member;
      const isGroup = Array.isArray(member['values']);
      const test = isGroup ? tree(member) : property(person, null);
      if (!test) return undefined;
      // an undecidable test is no match, and its negation a match; nested groups cannot be negated
      tests.push(!isGroup && member['negation'] === true ? { any: true, tests: [test], negated: true } : test);
    }
    return { any: tests.length > 0 && /^or$/i.test(String(type)), tests, negated: false };
  }

  return { keys, slotOf, property };
}

/** A cohort with an unreadable part matches neither `in` nor `not_in`. */
const isOdd = (test: Test): boolean => test === NEVER || ('tests' in test && test.tests.some(isOdd));

/** Whether the subject passes; undefined: unknown. */
export function passes(test: Test, run: Run): boolean | undefined {
  const { negated } = test;
  let result: boolean | undefined;
  if ('slot' in test) {
    const cell = run.cell(test.slot, test.owner);
    if (cell) {
      const matches = test.matches(cell, run);
      return matches !== null && matches !== negated;
    }
    return run.subject.incomplete ? undefined : negated;
  }
  if ('tests' in test) result = passesAll(test.tests, run, test.any);
  else if ('cohort' in test) result = isMember(test.cohort, run);
  else result = hasValue(run.prepared.flagOf(test.key, test.isKey), test.value, run);
  return result === undefined ? result : result !== negated;
}

/** Three-valued AND (with `orOne`: OR): undefined unless another test decides. */
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

/** Membership, cached for all flags of the run. */
function isMember({ id, position, state, test }: Cohort, run: Run): boolean | undefined {
  let member = run.cohorts[position];
  if (member === undefined) {
    member = (state === 'list' ? run.subject.isInStaticCohort?.(id) : passes(test, run)) ?? null;
    run.cohorts[position] = member;
  }
  return member ?? undefined;
}

/** All nested tests, including those of cohorts. */
export function* testsIn(tests: Iterable<Test>, seen = new Set<Cohort>()): Generator<Test> {
  for (const test of tests) {
    yield test;
    if ('tests' in test) yield* testsIn(test.tests, seen);
    if ('cohort' in test && !seen.has(test.cohort)) yield* testsIn([test.cohort.test], seen.add(test.cohort));
  }
}
