import { passesAll } from './compile.js';
import { type PreparedCondition, type PreparedFlag, type PreparedFlags, withDependencies } from './prepare.js';
import { ownerOf, Run } from './run.js';
import { shareOf, utf8 } from './sha1.js';
import type { Environment, FlagResult, ReasonCode, Subject } from './types.js';
import { own } from './value.js';

/**
 * Evaluates all flags, or those of the keys, in the order of the definitions. Dependencies are evaluated, too, but not returned.
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

/** Evaluates one flag. Its dependencies must have results already. */
export function evaluateFlag(flag: PreparedFlag, run: Run): FlagResult {
  try {
    if (!flag.active) return resultOf(flag, false, 'flag_disabled', null);
    if (flag.blocked) return resultOf(flag, false, 'missing_dependency', null);
    return enrolled(flag, run) ?? heldOut(flag, run) ?? byConditions(flag, run);
  } catch {
    // getters of properties and callbacks of the subject may throw; the other flags must not be lost
    return resultOf(flag, false, 'no_condition_match', null, true);
  }
}

/** Early access: the value of people who opted in or out; undefined: they did neither. */
export function enrolled(flag: PreparedFlag, run: Run): FlagResult | undefined {
  const { enrollment } = flag;
  if (!enrollment?.slots.some((slot) => run.cell(slot, null))) return undefined;
  const chosen = passesAll(enrollment.tests, run) === true && isInside(flag, enrollment, run);
  return resultOf(flag, chosen && null, 'super_condition_value', 0);
}

/** The hash omits the flag key, so that a holdout excludes the same people from all its flags. */
function heldOut(flag: PreparedFlag, run: Run): FlagResult | undefined {
  const { holdout } = flag;
  if (!holdout || !(holdoutShare(flag, run) <= holdout.until)) return undefined;
  return resultOf(flag, holdout.variant, 'holdout_condition_value', null);
}

/** Share of the holdout's hash, 0 to 1; NaN: the group is unknown, so it is in no holdout. */
export function holdoutShare(flag: PreparedFlag, run: Run): number {
  const identifier = ownIdentifier(flag, flag.group, run);
  return identifier === undefined ? Number.NaN : shareOf(HOLDOUT, run.bytesOf(identifier), NO_SALT);
}

/** Outcomes of conditions, worst first. A flag reports the best one, and the last condition of equals. */
const OUTCOMES: readonly ReasonCode[] = ['no_group_type', 'no_condition_match', 'out_of_rollout_bound'];
const [NO_GROUP, NO_MATCH, OUTSIDE] = [0, 1, 2];

function byConditions(flag: PreparedFlag, run: Run): FlagResult {
  let best = -1;
  let index: number | null = null;
  // the subject may have opted in or out by a property that the caller lacks
  let unknown = run.subject.incomplete === true && flag.enrollment !== undefined;
  const { conditions } = flag;
  for (let i = 0; i < conditions.length; i++) {
    const condition = conditions[i] as PreparedCondition;
    let outcome = skipped(flag, condition, run);
    let exits = false;
    if (outcome === undefined) {
      const matches = passesAll(condition.tests, run);
      if (matches && isInside(flag, condition, run)) {
        return resultOf(flag, variantOf(flag, condition, run), 'condition_match', i, unknown);
      }
      outcome = matches ? OUTSIDE : NO_MATCH;
      exits = matches === true && flag.earlyExit;
      unknown ||= matches === undefined;
    }
    if (outcome >= best) {
      best = outcome;
      index = i;
    }
    if (exits) break;
  }
  return resultOf(flag, false, OUTCOMES[best] ?? 'no_condition_match', index, unknown);
}

/** Outcome of a condition whose group or device is absent; undefined: both are known. */
export function skipped(flag: PreparedFlag, { group }: PreparedCondition, { subject }: Run): number | undefined {
  if (group !== null) return subject.groups[group]?.key ? undefined : NO_GROUP;
  return flag.byDevice && !subject.deviceId ? OUTSIDE : undefined;
}

const isInside = (flag: PreparedFlag, { until, group }: PreparedCondition, run: Run) =>
  until > 1 || rolloutShare(flag, group, run) <= until;

function variantOf(flag: PreparedFlag, { variant, group }: PreparedCondition, run: Run): string | null {
  const { variants } = flag;
  if (!variants.length) return null;
  if (variants.some(({ key }) => key === variant)) return variant;
  const share = hash(flag, group, run, VARIANT_SALT);
  return variants.find(({ until }) => share < until)?.key ?? null;
}

const HOLDOUT = utf8('holdout-');
const VARIANT_SALT = utf8('variant');
const NO_SALT = new Uint8Array();

export function rolloutShare(flag: PreparedFlag, group: number | null, run: Run): number {
  const shares = run.sharesOf(flag);
  const at = ownerOf(group);
  const share = shares[at] ?? hash(flag, group, run, NO_SALT);
  shares[at] = share;
  return share;
}

/** An empty identifier has share 0, so it is inside every rollout. */
function hash(flag: PreparedFlag, group: number | null, run: Run, salt: Uint8Array): number {
  const identifier = identifierOf(flag, group, run);
  return identifier === '' ? 0 : shareOf(flag.prefix, run.bytesOf(identifier), salt);
}

export function identifierOf(flag: PreparedFlag, group: number | null, run: Run): string {
  const { subject } = run;
  const former = group === null && !(flag.byDevice && subject.deviceId) ? subject.hashKey?.(flag.key) : undefined;
  return former ?? ownIdentifier(flag, group, run) ?? '';
}

/** The current identifier, without experience continuity; undefined: the group is unknown. */
function ownIdentifier(flag: PreparedFlag, group: number | null, { subject }: Run): string | undefined {
  if (group !== null) return subject.groups[group]?.key || undefined;
  return (flag.byDevice && subject.deviceId) || subject.distinctId;
}

/** `variant`: false when the flag is off, null when it is on without one. */
function resultOf(
  { key, payloads }: PreparedFlag,
  variant: string | null | false,
  reason: ReasonCode,
  conditionIndex: number | null,
  unknown = false,
): FlagResult {
  const name = variant ?? 'true';
  const result = {
    key,
    value: variant ?? true,
    variant: variant || null,
    payload: (name === false ? null : own(payloads, name)) ?? null,
    reason,
    conditionIndex,
  };
  return unknown ? { ...result, inconclusive: true } : result;
}
