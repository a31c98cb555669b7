import { all } from './compile.js';
import { type PreparedCondition, type PreparedFlag, type PreparedFlags, withDependencies } from './prepare.js';
import { Run } from './run.js';
import { shareOf } from './sha1.js';
import type { Environment, FlagResult, ReasonCode, Subject } from './types.js';

/** What the walk tells a listener: a stage or a condition, how it went, and the number behind a rollout. */
export type Listener = (
  stage: 'dependencies' | 'active' | 'enrollment' | 'holdout' | 'condition',
  outcome: ReasonCode | 'passed' | 'unknown',
  detail: { readonly index?: number; readonly identifier?: string; readonly share?: number; readonly until?: number },
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
    return decide(flag, run, tell);
  } catch {
    return off(flag, 'no_condition_match', null, true);
  }
}

function decide(flag: PreparedFlag, run: Run, tell?: Listener): FlagResult {
  if (!flag.active || flag.blocked) {
    const reason = flag.active ? 'missing_dependency' : 'flag_disabled';
    tell?.(flag.active ? 'dependencies' : 'active', reason, {});
    return off(flag, reason, null);
  }
  if (flag.broken) return off(flag, 'no_condition_match', null, true);
  return enrolled(flag, run, tell) ?? heldOut(flag, run, tell) ?? byConditions(flag, run, tell);
}

/** Early access: people who chose for themselves. */
function enrolled(flag: PreparedFlag, run: Run, tell?: Listener): FlagResult | undefined {
  const { enrollment, superCondition } = flag;
  let passes: boolean | undefined;
  if (enrollment !== undefined) {
    const cell = run.cell(enrollment, null);
    passes = cell ? cell.value === true || cell.value === 'true' : undefined;
  } else if (superCondition?.slots.some((slot) => run.cell(slot, null))) {
    passes = all(superCondition.tests)(run, null) === true && inRollout(flag, superCondition, run, tell);
  }
  if (passes === undefined) return undefined;
  const reason = 'super_condition_value';
  tell?.('enrollment', passes ? reason : 'no_condition_match', { index: 0 });
  return passes ? on(flag, null, reason, 0) : off(flag, reason, 0);
}

/** The hash knows no flag key, so that the same people are held out of all flags. */
function heldOut(flag: PreparedFlag, run: Run, tell?: Listener): FlagResult | undefined {
  const { holdout } = flag;
  const identifier = holdout && ownIdentifier(flag, flag.group, run);
  if (identifier === undefined || !holdout) return undefined;
  const { until, variant } = holdout;
  const share = until === Number.POSITIVE_INFINITY ? 0 : shareOf(HOLDOUT, run.bytesOf(identifier), NO_SALT);
  const member = share <= until;
  const reason = 'holdout_condition_value';
  tell?.('holdout', member ? reason : 'passed', { identifier, share, until });
  return member ? on(flag, variant, reason, null) : undefined;
}

/** Worst first: what is reported is the best that any condition came to. */
const RANKS: readonly ReasonCode[] = ['no_group_type', 'no_condition_match', 'out_of_rollout_bound'];

function byConditions(flag: PreparedFlag, run: Run, tell?: Listener): FlagResult {
  let rank = -1;
  let index: number | null = null;
  // whoever may have chosen for themselves, out of our sight
  let unknown = run.subject.incomplete === true && (flag.enrollment !== undefined || flag.superCondition !== undefined);
  const { conditions } = flag;
  for (let i = 0; i < conditions.length; i++) {
    const condition = conditions[i] as PreparedCondition;
    const outcome = outcomeOf(flag, condition, run, i, tell);
    if (outcome === 'condition_match') return on(flag, variantOf(flag, condition, run), outcome, i, unknown);
    if (outcome === 'unknown') unknown = true;
    const reached = outcome === 'unknown' ? 1 : outcome === 'early_exit' ? 2 : RANKS.indexOf(outcome);
    if (reached >= rank) {
      rank = reached;
      index = i;
    }
    if (outcome === 'early_exit') break;
  }
  return off(flag, RANKS[rank] ?? 'no_condition_match', index, unknown);
}

function outcomeOf(flag: PreparedFlag, condition: PreparedCondition, run: Run, index: number, tell?: Listener) {
  const skipped = skipReason(flag, condition.group, run);
  const { tests, group } = condition;
  let passes: boolean | undefined = !skipped;
  for (let i = 0; i < tests.length && passes !== false; i++) {
    const one = (tests[i] as PreparedCondition['tests'][number])(run, group);
    if (one !== true) passes = one;
    if (one === undefined) {
      // another property may still rule it out, and then nothing is unknown
      passes = tests.slice(i + 1).every((test) => test(run, group) !== false) ? undefined : false;
      break;
    }
  }
  if (passes !== true) {
    const outcome = skipped ?? (passes === undefined ? 'unknown' : 'no_condition_match');
    tell?.('condition', outcome, { index });
    return outcome;
  }
  const inside = inRollout(flag, condition, run, tell, index);
  return inside ? 'condition_match' : flag.earlyExit ? 'early_exit' : 'out_of_rollout_bound';
}

function skipReason(flag: PreparedFlag, group: number | null, run: Run): ReasonCode | undefined {
  if (group !== null) return run.subject.groups[group]?.key ? undefined : 'no_group_type';
  return flag.byDevice && !run.subject.deviceId ? 'out_of_rollout_bound' : undefined;
}

function inRollout(flag: PreparedFlag, condition: PreparedCondition, run: Run, tell?: Listener, index = 0): boolean {
  const { until, group } = condition;
  const inside = until === Number.POSITIVE_INFINITY || rolloutShare(flag, group, run) <= until;
  tell?.('condition', inside ? 'condition_match' : 'out_of_rollout_bound', {
    index,
    identifier: identifierOf(flag, group, run),
    share: rolloutShare(flag, group, run),
    until,
  });
  return inside;
}

function variantOf(flag: PreparedFlag, condition: PreparedCondition, run: Run): string | null {
  const { variants } = flag;
  if (!variants.length) return null;
  if (condition.variant !== null && variants.some(({ key }) => key === condition.variant)) return condition.variant;
  const share = hash(flag, condition.group, run, VARIANT_SALT);
  return variants.find(({ until }) => share < until)?.key ?? null;
}

const encoder = new TextEncoder();
const HOLDOUT = encoder.encode('holdout-');
const VARIANT_SALT = encoder.encode('variant');
const NO_SALT = new Uint8Array();

const rolloutShare = (flag: PreparedFlag, group: number | null, run: Run) =>
  run.share(flag, group, () => hash(flag, group, run, NO_SALT));

/** The share that puts a subject into rollouts, or with the salt into a variant. Nobody in particular is at the start. */
function hash(flag: PreparedFlag, group: number | null, run: Run, salt: Uint8Array): number {
  const identifier = identifierOf(flag, group, run);
  return identifier === '' ? 0 : shareOf(flag.prefix, run.bytesOf(identifier), salt);
}

function identifierOf(flag: PreparedFlag, group: number | null, run: Run): string {
  const continued = group === null && !(flag.byDevice && run.subject.deviceId) ? run.subject.hashKey?.(flag.key) : undefined;
  return continued ?? ownIdentifier(flag, group, run) ?? '';
}

/** Without regard to who the person was before; undefined: the group is not known. */
function ownIdentifier(flag: PreparedFlag, group: number | null, { subject }: Run): string | undefined {
  if (group !== null) return subject.groups[group]?.key || undefined;
  return (flag.byDevice && subject.deviceId) || subject.distinctId;
}

function on(
  { key, payloads }: PreparedFlag,
  variant: string | null,
  reason: ReasonCode,
  conditionIndex: number | null,
  unknown = false,
): FlagResult {
  const name = variant ?? 'true';
  const payload = Object.hasOwn(payloads, name) ? (payloads[name] ?? null) : null;
  const result = { key, value: variant ?? true, variant, payload, reason, conditionIndex };
  return unknown ? { ...result, inconclusive: true } : result;
}

function off({ key }: PreparedFlag, reason: ReasonCode, conditionIndex: number | null, unknown = false): FlagResult {
  const result = { key, value: false, variant: null, payload: null, reason, conditionIndex };
  return unknown ? { ...result, inconclusive: true } : result;
}
