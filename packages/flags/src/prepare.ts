import { type Compiler, createCompiler, NEVER, type Test, testsIn } from './compile.js';
import type { Cell } from './run.js';
import { utf8 } from './sha1.js';
import type { Cohorts, FlagDefinition } from './types.js';
import { listOf, recordOf } from './value.js';

/** Compiled definitions, for any number of evaluations. Opaque: created by `prepareFlags`. */
export interface PreparedFlags {
  /** In the order of the definitions. */
  readonly flags: readonly PreparedFlag[];
  /** Dependencies before their dependents. */
  readonly order: readonly PreparedFlag[];
  /** Finds a flag by id (as text) or key; `isKey` prefers the key. */
  readonly flagOf: (key: string, isKey: boolean) => PreparedFlag | undefined;
  /** Property names, indexed by slot. */
  readonly keys: readonly string[];
}

export interface PreparedFlag {
  readonly position: number;
  readonly key: string;
  readonly active: boolean;
  readonly byDevice: boolean;
  readonly continuity: boolean;
  readonly prefix: Uint8Array;
  /** Whether it depends on a missing flag, on itself, or on a blocked flag. */
  blocked: boolean;
  readonly dependencies: Set<PreparedFlag>;
  readonly group: number | null;
  /** Early access: decides for people who have one of these properties, because they opted in or out. */
  readonly enrollment: (PreparedCondition & { readonly slots: readonly number[] }) | undefined;
  readonly holdout: { readonly until: number; readonly variant: string } | undefined;
  readonly conditions: readonly PreparedCondition[];
  readonly variants: readonly { readonly key: string; readonly until: number }[];
  readonly payloads: Record<string, unknown>;
  readonly earlyExit: boolean;
}

export interface PreparedCondition {
  readonly group: number | null;
  readonly tests: readonly Test[];
  /** The rollout includes shares up to this; above 1: everybody, without hashing. */
  readonly until: number;
  readonly variant: string | null;
  /** The stored JSON, for explanations. */
  readonly source: unknown;
}

const EVERYBODY: PreparedCondition = { group: null, tests: [], until: 2, variant: null, source: null };

/** Compiles definitions and cohorts; needed once per change. Malformed flags match nobody. */
export function prepareFlags(definitions: readonly FlagDefinition[], cohorts: Cohorts = {}): PreparedFlags {
  const byKey = new Map<string, PreparedFlag>();
  const byId = new Map<string, PreparedFlag>();
  const compiler = createCompiler(cohorts);
  const flags: PreparedFlag[] = [];
  for (const definition of definitions) {
    const source = recordOf(definition);
    const { id, key } = source;
    if (typeof key !== 'string') continue;
    let flag: PreparedFlag;
    try {
      flag = prepareFlag(source, key, flags.length, compiler);
    } catch {
      // a filter nested so deeply that the stack overflows
      flag = prepareFlag({ ...source, filters: null }, key, flags.length, compiler);
    }
    flags.push(flag);
    byKey.set(key, flag);
    byId.set(String(id), flag);
  }
  // stored filters reference flags by id, the local-evaluation feed by key (and with a `dependency_chain`)
  const flagOf = (key: string, isKey: boolean) => (isKey ? byKey.get(key) : byId.get(key)) ?? byKey.get(key) ?? byId.get(key);
  return { flags, order: inOrder(flags, flagOf), flagOf, keys: compiler.keys };
}

function prepareFlag(source: Record<string, unknown>, key: string, position: number, compiler: Compiler): PreparedFlag {
  const filters = recordOf(source['filters']);
  const group = indexOf(filters['aggregation_group_type_index']);
  let until = 0;
  return {
    position,
    key,
    active: source['active'] === true,
    byDevice: source['bucketing_identifier'] === 'device_id',
    continuity: source['ensure_experience_continuity'] === true,
    prefix: utf8(`${key}.`),
    blocked: false,
    dependencies: new Set(),
    group,
    enrollment: enrollmentOf(filters, key, compiler),
    holdout: holdoutOf(filters),
    conditions: listOf(filters['groups']).map((condition) => conditionOf(condition, group, compiler)),
    variants: listOf(recordOf(filters['multivariate'])['variants']).flatMap((variant) => {
      const { key, rollout_percentage: share } = recordOf(variant);
      if (typeof key !== 'string') return [];
      until += typeof share === 'number' ? share / 100 : 0;
      return { key, until };
    }),
    payloads: recordOf(filters['payloads']),
    earlyExit: filters['early_exit'] === true,
  };
}

/** All top-level tests of the flag. */
export const testsOf = ({ conditions, enrollment }: PreparedFlag): readonly Test[] =>
  [enrollment, ...conditions].flatMap((condition) => condition?.tests ?? []);

function enrollmentOf(filters: Record<string, unknown>, key: string, compiler: Compiler): PreparedFlag['enrollment'] {
  if (filters['feature_enrollment'] === true) {
    const slot = compiler.slotOf(`$feature_enrollment/${key}`);
    const matches = (cell: Cell) => cell.texts.text === 'true';
    const test: Test = { slot, owner: null, matches, negated: false };
    return { ...EVERYBODY, tests: [test], slots: [slot] };
  }
  const older = listOf(filters['super_groups'])[0];
  const slots = listOf(recordOf(older)['properties']).map((property) => compiler.slotOf(String(recordOf(property)['key'])));
  return older === undefined ? undefined : { ...conditionOf(older, null, compiler), group: null, slots };
}

const indexOf = (value: unknown) => (typeof value === 'number' ? value : null);

/** Absent percentages mean 100; malformed ones include nobody. */
function untilOf(percentage: unknown): number {
  if (percentage === undefined || percentage === null || percentage === 100) return EVERYBODY.until;
  return typeof percentage === 'number' ? percentage / 100 : -1;
}

function conditionOf(source: unknown, group: number | null, compiler: Compiler): PreparedCondition {
  const condition = recordOf(source);
  const own = condition['aggregation_group_type_index'];
  const about = own === undefined ? group : indexOf(own);
  const properties = condition['properties'] ?? [];
  // a malformed condition must match nobody, not everybody
  const readable = condition === source && Array.isArray(properties);
  return {
    source,
    group: about,
    tests: readable ? properties.map((property) => compiler.property(property, about) ?? NEVER) : [NEVER],
    until: untilOf(condition['rollout_percentage']),
    variant: typeof condition['variant'] === 'string' ? condition['variant'] : null,
  };
}

function holdoutOf(filters: Record<string, unknown>): PreparedFlag['holdout'] {
  const { id, exclusion_percentage: excluded } = recordOf(filters['holdout']);
  if (id !== undefined && id !== null && typeof excluded === 'number') {
    return { until: untilOf(Math.min(excluded, 100)), variant: `holdout-${id}` };
  }
  const { rollout_percentage: percentage, variant } = recordOf(listOf(filters['holdout_groups'])[0]);
  return typeof variant === 'string' ? { until: untilOf(percentage), variant } : undefined;
}

/** Sorts flags topologically; flags in a cycle, or behind one, become blocked. */
function inOrder(flags: readonly PreparedFlag[], flagOf: PreparedFlags['flagOf']): PreparedFlag[] {
  for (const flag of flags) {
    // a disabled flag needs no dependencies
    for (const test of flag.active ? testsIn(testsOf(flag)) : []) {
      if (!('isKey' in test)) continue;
      const other = flagOf(test.key, test.isKey);
      if (other) flag.dependencies.add(other);
      else flag.blocked = true;
    }
  }
  const order = new Set<PreparedFlag>();
  for (let before = -1; before < order.size; ) {
    before = order.size;
    for (const flag of flags) if (!flag.blocked && [...flag.dependencies].every((other) => order.has(other))) order.add(flag);
  }
  for (const flag of flags) flag.blocked = !order.has(flag);
  return [...new Set([...order, ...flags])];
}

/** The flags of these keys with their transitive dependencies; undefined: all flags. */
export function withDependencies(
  { flagOf }: PreparedFlags,
  only: ReadonlySet<string> | undefined,
): ReadonlySet<PreparedFlag> | undefined {
  if (!only) return undefined;
  const wanted = new Set<PreparedFlag>();
  for (const key of only) {
    const flag = flagOf(key, true);
    if (flag) wanted.add(flag);
  }
  for (const flag of wanted) for (const other of flag.dependencies) wanted.add(other);
  return wanted;
}
