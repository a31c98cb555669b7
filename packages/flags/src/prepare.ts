import { Compiler, type Test, testsIn } from './compile.js';
import type { Cell } from './run.js';
import type { Cohorts, FlagDefinition } from './types.js';
import { listOf, recordOf } from './value.js';

/** Definitions read once, for any number of evaluations. Opaque: make it by `prepareFlags`. */
export interface PreparedFlags {
  /** In the order of the definitions. */
  readonly flags: readonly PreparedFlag[];
  /** Each flag after those that it depends on. */
  readonly order: readonly PreparedFlag[];
  readonly byKey: ReadonlyMap<string, PreparedFlag>;
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
  /** It could not be read at all. */
  broken: boolean;
  dependencies: ReadonlySet<PreparedFlag>;
  group: number | null;
  /** Decides for people who have one of the properties: they chose for themselves. */
  enrollment: (PreparedCondition & { readonly slots: readonly number[] }) | undefined;
  holdout: { readonly until: number; readonly variant: string | null } | undefined;
  conditions: readonly PreparedCondition[];
  variants: readonly { readonly key: string; readonly until: number }[];
  payloads: Record<string, unknown>;
  earlyExit: boolean;
}

export interface PreparedCondition {
  readonly group: number | null;
  readonly tests: readonly Test[];
  /** Shares up to this are inside; above 1: everybody, without a look at the share. */
  readonly until: number;
  readonly variant: string | null;
}

const encoder = new TextEncoder();
const EVERYBODY: PreparedCondition = { group: null, tests: [], until: 2, variant: null };

/** Reads definitions and cohorts, once per change of them. Odd flags become flags that match nobody. */
export function prepareFlags(definitions: readonly FlagDefinition[], cohorts: Cohorts = {}): PreparedFlags {
  const byKey = new Map<string, PreparedFlag>();
  const byId = new Map<string, PreparedFlag>();
  const filters = new Map<PreparedFlag, unknown>();
  for (const definition of definitions) {
    const source = recordOf(definition);
    const { key } = source;
    if (typeof key !== 'string') continue;
    const flag = emptyFlag(source, key, filters.size);
    filters.set(flag, source['filters']);
    byKey.set(key, flag);
    byId.set(String(source['id']), flag);
  }
  // stored filters name flags by id, the feed by key and then with a chain
  const flagOf = (key: string, isKey: boolean) => (isKey ? byKey.get(key) : byId.get(key)) ?? byKey.get(key) ?? byId.get(key);
  const compiler = new Compiler(cohorts, flagOf);
  for (const [flag, source] of filters) {
    try {
      fill(flag, recordOf(source), compiler);
    } catch {
      flag.broken = true;
    }
  }
  const flags = [...filters.keys()];
  return { flags, order: inOrder(flags), byKey, keys: compiler.keys };
}

function emptyFlag(source: Record<string, unknown>, key: string, position: number): PreparedFlag {
  return {
    position,
    key,
    active: source['active'] === true,
    byDevice: source['bucketing_identifier'] === 'device_id',
    continuity: source['ensure_experience_continuity'] === true,
    prefix: encoder.encode(`${key}.`),
    blocked: false,
    broken: false,
    dependencies: new Set(),
    group: null,
    enrollment: undefined,
    holdout: undefined,
    conditions: [],
    variants: [],
    payloads: {},
    earlyExit: false,
  };
}

function fill(flag: PreparedFlag, filters: Record<string, unknown>, compiler: Compiler): void {
  flag.group = indexOf(filters['aggregation_group_type_index']);
  flag.enrollment = enrollmentOf(filters, flag.key, compiler);
  flag.holdout = holdoutOf(filters);
  flag.conditions = listOf(filters['groups']).map((source) => conditionOf(source, flag.group, compiler));
  let until = 0;
  flag.variants = listOf(recordOf(filters['multivariate'])['variants']).flatMap((source) => {
    const { key, rollout_percentage: share } = recordOf(source);
    if (typeof key !== 'string') return [];
    until += typeof share === 'number' ? share / 100 : 0;
    return { key, until };
  });
  flag.payloads = recordOf(filters['payloads']);
  flag.earlyExit = filters['early_exit'] === true;
  const dependencies = new Set<PreparedFlag>();
  for (const test of testsIn(testsOf(flag))) {
    if (test.kind !== 'flag') continue;
    if (test.flag) dependencies.add(test.flag);
    else flag.blocked = true;
  }
  flag.dependencies = dependencies;
}

/** Everything that the flag asks, beside the choice of people for themselves. */
export const testsOf = ({ conditions, enrollment }: PreparedFlag): readonly Test[] =>
  [enrollment, ...conditions].flatMap((condition) => condition?.tests ?? []);

function enrollmentOf(filters: Record<string, unknown>, key: string, compiler: Compiler): PreparedFlag['enrollment'] {
  if (filters['feature_enrollment'] === true) {
    const slot = compiler.slotOf(`$feature_enrollment/${key}`);
    const matches = (cell: Cell) => cell.text === 'true';
    const test: Test = { kind: 'property', slot, owner: null, matches, negated: false };
    return { ...EVERYBODY, tests: [test], slots: [slot] };
  }
  const older = listOf(filters['super_groups'])[0];
  const slots = listOf(recordOf(older)['properties']).map((property) => compiler.slotOf(String(recordOf(property)['key'])));
  return older === undefined ? undefined : { ...conditionOf(older, null, compiler), group: null, slots };
}

const NEVER: Test = { kind: 'never' };

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
  const older = listOf(filters['holdout_groups'])[0];
  if (older === undefined) return undefined;
  const { rollout_percentage: percentage, variant } = recordOf(older);
  return { until: untilOf(percentage), variant: typeof variant === 'string' ? variant : null };
}

/** Takes flags whose dependencies are all taken, until none is left that can be: what remains is blocked. */
function inOrder(flags: readonly PreparedFlag[]): PreparedFlag[] {
  const waiting = new Map<PreparedFlag, number>();
  const dependents = new Map<PreparedFlag, PreparedFlag[]>();
  const order: PreparedFlag[] = [];
  for (const flag of flags) {
    // a flag that is off is off whatever it depends on
    const count = flag.active ? flag.dependencies.size + (flag.blocked ? 1 : 0) : 0;
    if (count === 0) order.push(flag);
    else waiting.set(flag, count);
    for (const other of flag.dependencies) {
      const list = dependents.get(other);
      if (list) list.push(flag);
      else dependents.set(other, [flag]);
    }
  }
  // a list hands out what is added while it is walked
  for (const flag of order) {
    for (const dependent of dependents.get(flag) ?? []) {
      const left = (waiting.get(dependent) ?? 0) - 1;
      if (left > 0) waiting.set(dependent, left);
      else if (waiting.delete(dependent)) order.push(dependent);
    }
  }
  for (const flag of waiting.keys()) {
    flag.blocked = true;
    order.push(flag);
  }
  return order;
}

/** The flags of these keys and all that they depend on; undefined: every flag. */
export function withDependencies(
  { byKey }: PreparedFlags,
  only: ReadonlySet<string> | undefined,
): ReadonlySet<PreparedFlag> | undefined {
  if (!only) return undefined;
  const wanted = new Set<PreparedFlag>();
  for (const key of only) {
    const flag = byKey.get(key);
    if (flag) wanted.add(flag);
  }
  for (const flag of wanted) for (const other of flag.dependencies) wanted.add(other);
  return wanted;
}
