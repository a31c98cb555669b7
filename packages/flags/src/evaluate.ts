import { passes, passesAll } from './compile.js';
import { type PreparedCondition, type PreparedFlag, type PreparedFlags, withDependencies } from './prepare.js';
import { Run } from './run.js';
import { shareOf } from './sha1.js';
import type { Environment, FlagResult, ReasonCode, Subject } from './types.js';

/** Hears how the walk through a flag goes: `unknown` and `passed` go on. */
export type Listener = (
  stage: 'enrollment' | 'holdout' | 'condition',
  outcome: ReasonCode | 'unknown' | 'passed',
  index: number | null,
  rollout?: { readonly identifier: string; readonly share: number; readonly until: number },
) => void;

/**
 * Evaluates all flags, or those of the keys (and, unseen, what they depend on), in the order of the definitions.
 * Never throws: a flag that cannot be evaluated is off and `inconclusive`.
 */
export function evaluateFlags(
  prepared: PreparedFlags,
  subject: Subject,
  environment: Environment,
  only?: ReadonlySet<string>,
): Map<string, FlagResult> {
  const run = runFlags(prepared, subject, environment, withDependencies(prepared, only));
  const results = new Map<string, FlagResult>();
  for (const { key, position } of prepared.flags) {
    const result = run.results[position];
    if (result && (!only || only.has(key))) results.set(key, result);
  }
  return results;
}

export function runFlags(
  prepared: PreparedFlags,
  subject: Subject,
  environment: Environment,
  wanted: ReadonlySet<PreparedFlag> | undefined,
): Run {
  const run = new Run(prepared, subject, environment);
  for (const flag of prepared.order) {
    if (!wanted || wanted.has(flag)) run.results[flag.position] = evaluateFlag(flag, run);
  }
  return run;
}

/** One flag, after those that it depends on. */
export function evaluateFlag(flag: PreparedFlag, run: Run, tell?: Listener): FlagResult {
  try {
    if (!flag.active) return off(flag, 'flag_disabled', null);
    if (flag.blocked) return off(flag, 'missing_dependency', null);
    if (!flag.broken) return enrolled(flag, run, tell) ?? heldOut(flag, run, tell) ?? byConditions(flag, run, tell);
  } catch {
    // what others give us (properties, callbacks) may throw, and that is no reason to lose the other flags
  }
  return off(flag, 'no_condition_match', null, true);
}

/** Early access: people who chose for themselves. */
function enrolled(flag: PreparedFlag, run: Run, tell?: Listener): FlagResult | undefined {
  const { enrollment, superCondition } = flag;
  let chosen: boolean | undefined;
  if (enrollment !== undefined) {
    const cell = run.cell(enrollment, null);
    chosen = cell ? cell.value === true || cell.value === 'true' : undefined;
  } else if (superCondition?.slots.some((slot) => run.cell(slot, null))) {
    const { tests, until } = superCondition;
    chosen = passesAll(tests, run) === true && rolloutShare(flag, null, run) <= until;
  }
  if (chosen === undefined) return undefined;
  const reason = 'super_condition_value';
  tell?.('enrollment', reason, 0);
  return chosen ? on(flag, null, reason, 0) : off(flag, reason, 0);
}

/** The hash knows no flag key, so that the same people are held out of all flags. */
function heldOut(flag: PreparedFlag, run: Run, tell?: Listener): FlagResult | undefined {
  const { holdout } = flag;
  const identifier = ownIdentifier(flag, flag.group, run);
  if (!holdout || identifier === undefined) return undefined;
  const { until, variant } = holdout;
  const share = shareOf(HOLDOUT, run.bytesOf(identifier), NO_SALT);
  const reason = 'holdout_condition_value';
  tell?.('holdout', share <= until ? reason : 'passed', null, { identifier, share, until });
  return share <= until ? on(flag, variant, reason, null) : undefined;
}

/** Worst first: what is reported is the best that any condition came to, and of equals the last. */
const OUTCOMES = ['no_group_type', 'no_condition_match', 'out_of_rollout_bound', 'condition_match'] as const;
const [NO_GROUP, NO_MATCH, OUTSIDE, MATCH] = [0, 1, 2, 3];

function byConditions(flag: PreparedFlag, run: Run, tell?: Listener): FlagResult {
  let best = -1;
  let index: number | null = null;
  // who may have chosen for themselves out of our sight is not known to be here
  let unknown = run.subject.incomplete === true && (flag.enrollment ?? flag.superCondition) !== undefined;
  const { conditions } = flag;
  for (let i = 0; i < conditions.length; i++) {
    const condition = conditions[i] as PreparedCondition;
    const { tests, group, until } = condition;
    let outcome = group !== null && !run.subject.groups[group]?.key ? NO_GROUP : NO_MATCH;
    if (group === null && flag.byDevice && !run.subject.deviceId) outcome = OUTSIDE;
    let exits = false;
    let matches: boolean | undefined = false;
    if (outcome === NO_MATCH) {
      // almost all conditions have one property or fail at the first
      matches = tests.length === 0 || passes(tests[0] as PreparedCondition['tests'][number], run);
      if (matches !== false && tests.length > 1) matches = passesAll(tests, run);
      if (matches) {
        outcome = until === Number.POSITIVE_INFINITY || rolloutShare(flag, group, run) <= until ? MATCH : OUTSIDE;
        exits = flag.earlyExit;
      }
    }
    tell?.(
      'condition',
      matches === undefined ? 'unknown' : (OUTCOMES[outcome] as ReasonCode),
      i,
      matches ? { identifier: identifierOf(flag, group, run), share: rolloutShare(flag, group, run), until } : undefined,
    );
    if (outcome === MATCH) return on(flag, variantOf(flag, condition, run), 'condition_match', i, unknown);
    unknown ||= matches === undefined;
    if (outcome >= best) {
      best = outcome;
      index = i;
    }
    if (exits) break;
  }
  return off(flag, OUTCOMES[best] ?? 'no_condition_match', index, unknown);
}

function variantOf(flag: PreparedFlag, { variant, group }: PreparedCondition, run: Run): string | null {
  const { variants } = flag;
  if (!variants.length) return null;
  if (variants.some(({ key }) => key === variant)) return variant;
  const share = hash(flag, group, run, VARIANT_SALT);
  return variants.find(({ until }) => share < until)?.key ?? null;
}

const encoder = new TextEncoder();
const HOLDOUT = encoder.encode('holdout-');
const VARIANT_SALT = encoder.encode('variant');
const NO_SALT = new Uint8Array();

function rolloutShare(flag: PreparedFlag, group: number | null, run: Run): number {
  const shares = run.sharesOf(flag);
  const at = group === null ? 0 : group + 1;
  let share = shares[at];
  if (share === undefined) {
    share = hash(flag, group, run, NO_SALT);
    shares[at] = share;
  }
  return share;
}

/** Nobody in particular is at the start of every rollout. */
function hash(flag: PreparedFlag, group: number | null, run: Run, salt: Uint8Array): number {
  const identifier = identifierOf(flag, group, run);
  return identifier === '' ? 0 : shareOf(flag.prefix, run.bytesOf(identifier), salt);
}

function identifierOf(flag: PreparedFlag, group: number | null, run: Run): string {
  const { subject } = run;
  const former = group === null && !(flag.byDevice && subject.deviceId) ? subject.hashKey?.(flag.key) : undefined;
  return former ?? ownIdentifier(flag, group, run) ?? '';
}

/** Without regard to who the person was before; undefined: the group is not known. */
function ownIdentifier(flag: PreparedFlag, group: number | null, { subject }: Run): string | undefined {
  if (group !== null) return subject.groups[group]?.key || undefined;
  return (flag.byDevice && subject.deviceId) || subject.distinctId;
}

function on(
  flag: PreparedFlag,
  variant: string | null,
  reason: ReasonCode,
  conditionIndex: number | null,
  unknown = false,
): FlagResult {
  const name = variant ?? 'true';
  const payload = Object.hasOwn(flag.payloads, name) ? flag.payloads[name] : null;
  return resultOf(flag.key, variant ?? true, variant, payload ?? null, reason, conditionIndex, unknown);
}

function off(flag: PreparedFlag, reason: ReasonCode, conditionIndex: number | null, unknown = false): FlagResult {
  return resultOf(flag.key, false, null, null, reason, conditionIndex, unknown);
}

function resultOf(
  key: string,
  value: boolean | string,
  variant: string | null,
  payload: unknown,
  reason: ReasonCode,
  conditionIndex: number | null,
  unknown: boolean,
): FlagResult {
  const result = { key, value, variant, payload, reason, conditionIndex };
  return unknown ? { ...result, inconclusive: true } : result;
}
