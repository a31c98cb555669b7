import { passes, type Test } from './compile.js';
import { holdoutShare, identifierOf, rolloutShare, runFlags, skipped } from './evaluate.js';
import { type PreparedCondition, type PreparedFlag, type PreparedFlags, withDependencies } from './prepare.js';
import type { Run } from './run.js';
import type { Environment, FlagResult, Subject } from './types.js';
import { listOf, recordOf, textOf } from './value.js';

/** One step of the evaluation of a flag. */
export interface Step {
  readonly stage: 'active' | 'dependencies' | 'early_access' | 'holdout' | 'condition';
  /** Index of the condition; null in other stages. */
  readonly conditionIndex: number | null;
  /** `decided`: this step set the value; `passed_over`: evaluation continued; `unknown`: a property is missing. */
  readonly outcome: 'decided' | 'passed_over' | 'unknown';
  readonly message: string;
  readonly properties: readonly PropertyStep[];
  readonly rollout: { readonly identifier: string /** 0 to 1. */; readonly share: number; readonly percentage: number } | null;
}

export interface PropertyStep {
  readonly property: unknown;
  readonly matches: boolean | null;
  readonly message: string;
}

/** Evaluates one flag and returns the steps that led to its value; undefined when the flag does not exist. */
export function evaluateSteps(
  prepared: PreparedFlags,
  key: string,
  subject: Subject,
  environment: Environment,
): { readonly result: FlagResult; readonly steps: readonly Step[] } | undefined {
  const flag = prepared.flags.find((one) => one.key === key);
  if (!flag) return undefined;
  const run = runFlags(prepared, subject, environment, withDependencies(prepared, new Set([key])));
  const result = run.results[flag.position];
  return result && { result, steps: stepsOf(flag, result, run) };
}

function stepsOf(flag: PreparedFlag, result: FlagResult, run: Run): Step[] {
  const { reason } = result;
  if (reason === 'flag_disabled') return [stepOf('active', 'decided', 'The flag is off.')];
  if (reason === 'missing_dependency') {
    return [stepOf('dependencies', 'decided', 'The flag depends on a flag that does not exist, or on itself.')];
  }
  const steps: Step[] = [];
  if (flag.enrollment) {
    const decided = reason === 'super_condition_value';
    const choice = result.value === false ? 'left' : 'joined';
    const message = decided ? `They ${choice} the early access of this feature.` : 'They did not choose about early access.';
    steps.push(stepOf('early_access', decided ? 'decided' : 'passed_over', message));
    if (decided) return steps;
  }
  if (flag.holdout) {
    const decided = reason === 'holdout_condition_value';
    const share = holdoutShare(flag, run);
    const percentage = percentageOf(flag.holdout.until);
    const place = Number.isNaN(share)
      ? 'There is no group to hold out'
      : `They are at ${percent(share)} of the holdout's ${percentage} %`;
    const message = `${place}: ${decided ? 'held out' : 'not held out'}.`;
    steps.push(stepOf('holdout', decided ? 'decided' : 'passed_over', message));
    if (decided) return steps;
  }
  for (const [index, condition] of flag.conditions.entries()) {
    const step = conditionStep(flag, condition, index, result, run);
    steps.push(step);
    if (step.outcome === 'decided') break;
  }
  if (!flag.conditions.length) steps.push(stepOf('condition', 'decided', 'The flag has no conditions, so it is for nobody.'));
  return steps;
}

function conditionStep(flag: PreparedFlag, condition: PreparedCondition, index: number, result: FlagResult, run: Run): Step {
  const name = `Condition ${index + 1}`;
  const { group, until } = condition;
  const base = { stage: 'condition' as const, conditionIndex: index, rollout: null };
  if (skipped(flag, condition, run) !== undefined) {
    const missing = group === null ? 'a device id' : `a group of type ${group}`;
    return { ...base, outcome: 'passed_over', message: `${name} needs ${missing}, and there is none.`, properties: [] };
  }
  const sources = listOf(recordOf(condition.source)['properties']);
  const properties = condition.tests.map((test, i) => propertyStep(test, sources[i], run));
  const failed = properties.findIndex(({ matches }) => matches === false);
  if (failed >= 0) {
    const message = `${name} does not match: ${properties[failed]?.message}`;
    return { ...base, outcome: 'passed_over', message, properties };
  }
  if (properties.some(({ matches }) => matches === null)) {
    return { ...base, outcome: 'unknown', message: `${name} looks at something that is not known.`, properties };
  }
  const decided = result.reason === 'condition_match' && result.conditionIndex === index;
  const share = rolloutShare(flag, group, run);
  const rollout = { identifier: identifierOf(flag, group, run), share, percentage: percentageOf(until) };
  const place = `${textOf(rollout.identifier)} is at ${percent(share)} of a rollout of ${rollout.percentage} %`;
  if (decided) {
    const variant = result.variant === null ? 'on' : `the variant ${result.variant}`;
    return { ...base, outcome: 'decided', message: `${name} matches, and ${place}: ${variant}.`, properties, rollout };
  }
  const end = flag.earlyExit ? 'outside, and the flag ends here.' : 'outside.';
  const outcome = flag.earlyExit ? 'decided' : 'passed_over';
  return { ...base, outcome, message: `${name} matches, but ${place}: ${end}`, properties, rollout };
}

function propertyStep(test: Test, property: unknown, run: Run): PropertyStep {
  const matches = answerOf(test, run);
  return {
    property,
    matches,
    message: `${wordsOf(test, property, run)}: ${matches === null ? 'not known' : matches ? 'yes' : 'no'}.`,
  };
}

/** Null: unknown, or a callback of the subject threw. */
function answerOf(test: Test, run: Run): boolean | null {
  try {
    return passes(test, run) ?? null;
  } catch {
    return null;
  }
}

function wordsOf(test: Test, property: unknown, run: Run): string {
  const { key, operator, value } = recordOf(property);
  if ('isKey' in test) {
    return `flag ${test.key} is ${textOf(value)} (it is ${run.results[run.prepared.flagOf(test.key, test.isKey)?.position ?? -1]?.value})`;
  }
  if (!('slot' in test)) {
    return recordOf(property)['type'] === 'cohort'
      ? `${operator ?? 'in'} cohort ${textOf(value)}`
      : 'a property that cannot be read';
  }
  const cell = run.cell(test.slot, test.owner);
  const wanted = value === undefined ? '' : ` ${textOf(value)}`;
  return `${key} ${operator ?? 'exact'}${wanted} (it is ${cell ? cell.texts.text : 'not set'})`;
}

const percent = (share: number) => `${(share * 100).toFixed(2)} %`;

const percentageOf = (until: number) => (until > 1 ? 100 : Number((until * 100).toFixed(6)));

const stepOf = (stage: Step['stage'], outcome: Step['outcome'], message: string): Step => ({
  stage,
  conditionIndex: null,
  outcome,
  message,
  properties: [],
  rollout: null,
});
