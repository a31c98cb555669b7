import { type Compiler, createCompiler, NEVER, type Test, testsIn } from './compile.js';
import type { Cell } from './run.js';
import { utf8 } from './sha1.js';
import type { Cohorts, FlagDefinition } from './types.js';
import { listOf, recordOf } from './value.js';

/** Definitions read once, for any number of evaluations. Opaque: make it by `prepareFlags`. */
export interface PreparedFlags {
  /** In the order of the definitions. */
  readonly flags: readonly PreparedFlag[];
  /** Each flag after those that it depends on. */
  readonly order: readonly PreparedFlag[];
  /** By id as text, or first by key. */
  readonly flagOf: (key: string, isKey: boolean) => PreparedFlag | undefined;
  /** Names of the properties that are looked at, by slot. */
  readonly keys: readonly string[];
}

export interface PreparedFlag {
  readonly position: number;
  readonly key: string;
  readonly active: boolean;
  readonly byDevice: boolean;
  readonly continuity: boolean;
  readonly prefix: Uint8Array;
  /** It depends on a flag that does not exist, on itself, or on a flag that does. */
  blocked: boolean;
  readonly dependencies: Set<PreparedFlag>;
  readonly group: number | null;
  /** Decides for people who have one of the properties: they chose for themselves. */
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
  /** Shares up to this are inside; above 1: everybody, without a look at the share. */
  readonly until: number;
  readonly variant: string | null;
  /** As it is stored. */
  readonly source: unknown;
}

const EVERYBODY: PreparedCondition = { group: null, tests: [], until: 2, variant: null, source: null };

/** Reads definitions and cohorts, once per change of them. Odd flags become flags that match nobody. */
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
      // nested beyond the stack
      flag = prepareFlag({ ...source, filters: null }, key, flags.length, compiler);
    }
    flags.push(flag);
    byKey.set(key, flag);
    byId.set(String(id), flag);
  }
  // stored filters name flags by id, the feed by key and then with a chain
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

/** Everything that the flag asks, beside the choice of people for themselves. */
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

/** Undefined percentages are whole; odd ones admit nobody. */
function untilOf(percentage: unknown): number {
  if (percentage === undefined || percentage === null || percentage === 100) return EVERYBODY.until;
  return typeof percentage === 'number' ? percentage / 100 : -1;
}

function conditionOf(source: unknown, group: number | null, compiler: Compiler): PreparedCondition {
  const condition = recordOf(source);
  const own = condition['aggregation_group_type_index'];
  const about = own === undefined ? group : indexOf(own);
  const properties = condition['properties'] ?? [];
  // what is no list cannot be read, and a condition that cannot be read must not let everybody in
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

/** Takes flags whose dependencies are all taken, until none is left that can be: what remains is blocked. */
function inOrder(flags: readonly PreparedFlag[], flagOf: PreparedFlags['flagOf']): PreparedFlag[] {
  for (const flag of flags) {
    // a flag that is off is off whatever it depends on
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

/** The flags of these keys and all that they depend on; undefined: every flag. */
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
