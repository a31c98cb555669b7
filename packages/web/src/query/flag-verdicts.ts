/** What one condition, or another step, came to. */
export interface Verdict {
  title: string;
  outcome: 'decided' | 'passed_over' | 'unknown' | 'not_reached';
  reasons: string[];
}

/** A step of the evaluation as the API answers it. */
export interface Step {
  stage: string;
  condition_index: number | null;
  outcome: 'decided' | 'passed_over' | 'unknown';
  message: string;
  properties: { matches: boolean | null; message: string }[];
  rollout: { share: number; percentage: number } | null;
}

const STAGES: Record<string, string> = {
  active: 'The switch',
  dependencies: 'Flags it depends on',
  early_access: 'Early access',
  holdout: 'Holdout',
  condition: 'Conditions',
};

/** Steps of an evaluation with the conditions that it did not reach. */
export function verdictsOf(steps: readonly Step[], conditions: readonly { title: string }[]): Verdict[] {
  const titleOf = (index: number) => `${index + 1} ${conditions[index]?.title || 'Condition'}`;
  const decider = steps.find(({ outcome }) => outcome === 'decided');
  const by = decider?.condition_index;
  const words = by === undefined || by === null ? 'it was decided before' : `condition ${by + 1} decided`;
  return [
    ...steps.map(({ stage, condition_index, outcome, message, properties, rollout }): Verdict => {
      if (condition_index === null) return { title: STAGES[stage] ?? stage, outcome, reasons: [message] };
      // what did not match says enough; otherwise everything that did
      const failing = properties.filter(({ matches }) => matches !== true);
      const shown = (failing.length > 0 ? failing : properties).map((one) => one.message);
      const place = rollout && rolloutInWords(rollout);
      const reasons = [...shown, ...(place ? [place] : [])];
      return { title: titleOf(condition_index), outcome, reasons: reasons.length > 0 ? reasons : [message] };
    }),
    ...conditions.flatMap((_, index): Verdict[] =>
      steps.some(({ condition_index }) => condition_index === index)
        ? []
        : [{ title: titleOf(index), outcome: 'not_reached', reasons: [`Not reached: ${words}`] }],
    ),
  ];
}

/** "31.4 is within the rollout of 40%". Shares are 0 to 1, percentages 0 to 100. */
function rolloutInWords({ share, percentage }: { share: number; percentage: number }): string {
  const place = Number((share * 100).toFixed(1));
  return `At ${place} of 100, ${share * 100 < percentage ? 'within' : 'outside'} the rollout of ${percentage}%`;
}

/** The reason of a value as a clause. */
export function reasonInWords(reason: string, condition: number | null): string {
  const name = condition === null ? 'a condition' : `condition ${condition + 1}`;
  const words: Record<string, string> = {
    condition_match: `because of ${name}`,
    out_of_rollout_bound: `because they are outside the rollout of ${name}`,
    no_condition_match: 'because no condition matches',
    no_group_type: 'because there is no such group',
    flag_disabled: 'because the flag is off',
    super_condition_value: 'because of their choice about early access',
    holdout_condition_value: 'because they are held out',
    missing_dependency: 'because a flag that it depends on is missing',
  };
  return words[reason] ?? `because of ${reason.replaceAll('_', ' ')}`;
}
