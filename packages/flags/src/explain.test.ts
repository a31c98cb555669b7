import { expect, test } from 'vitest';
import { evaluateSteps } from './explain.js';
import { prepareFlags } from './prepare.js';
import { flagOf, NOW, subjectOf } from './testing/subjects.js';
import type { FlagDefinition, FlagFilters, Subject } from './types.js';

function explanationOf(
  filters: FlagFilters,
  subject: Partial<Subject> = {},
  more: Partial<FlagDefinition> = {},
  others: FlagDefinition[] = [],
) {
  const prepared = prepareFlags([...others, flagOf('flag', filters, more)], {
    1: { type: 'AND', values: [{ key: 'a', value: 1 }] },
  });
  const explained = evaluateSteps(prepared, 'flag', subjectOf(subject), { now: NOW });
  return explained?.steps.map(({ message }) => message);
}

test('it has the reason for each condition', () => {
  const filters: FlagFilters = {
    groups: [
      { properties: [{ key: 'plan', type: 'person', value: 'pro' }] },
      {
        properties: [
          { key: 'plan', type: 'person', operator: 'is_not', value: 'pro' },
          { key: 'age', type: 'person', operator: 'gt', value: 30 },
        ],
      },
      { rollout_percentage: 5 },
      { aggregation_group_type_index: 1 },
      { rollout_percentage: 97 },
    ],
  };
  expect(explanationOf(filters, { distinctId: 'user-1', personProperties: { plan: 'free' } }, {})).toEqual([
    'Condition 1 does not match: plan exact pro (it is free): no.',
    'Condition 2 does not match: age gt 30 (it is not set): no.',
    'Condition 3 matches, but user-1 is at 7.10 % of a rollout of 5 %: outside.',
    'Condition 4 needs a group of type 1, and there is none.',
    'Condition 5 matches, and user-1 is at 7.10 % of a rollout of 97 %: on.',
  ]);
});

test('it has the reason if evaluation ends before the conditions', () => {
  expect(explanationOf({ groups: [{}] }, {}, { active: false })).toEqual(['The flag is off.']);
  expect(explanationOf({ groups: [{ properties: [{ key: 'gone', type: 'flag', value: true }] }] })).toEqual([
    'The flag depends on a flag that does not exist, or on itself.',
  ]);
  expect(explanationOf({ groups: [] })).toEqual(['The flag has no conditions, so it is for nobody.']);
  expect(explanationOf({ groups: [{}], holdout: { id: 1, exclusion_percentage: 20 } })).toEqual([
    "They are at 17.81 % of the holdout's 20 %: held out.",
  ]);
  const enrollment = { groups: [], feature_enrollment: true };
  expect(explanationOf(enrollment, { personProperties: { '$feature_enrollment/flag': true } })).toEqual([
    'They joined the early access of this feature.',
  ]);
});

test('it covers flags, cohorts and unknown properties', () => {
  const base = flagOf('base', { groups: [{}] });
  const properties = [
    { key: 'base', type: 'flag' as const, value: true },
    { key: 'id', type: 'cohort' as const, operator: 'not_in', value: 1 },
    { key: 'id', type: 'cohort' as const, value: 5 },
  ];
  const prepared = prepareFlags([base, flagOf('flag', { groups: [{ properties }] })], {
    1: { type: 'AND', values: [{ key: 'a', value: 1 }] },
  });
  const [step] = evaluateSteps(prepared, 'flag', subjectOf(), { now: NOW })?.steps ?? [];
  expect(step).toMatchObject({ outcome: 'unknown', message: 'Condition 1 looks at something that is not known.' });
  expect(step?.properties.map(({ message, matches }) => [matches, message])).toEqual([
    [true, 'flag base is true (it is true): yes.'],
    [true, 'not_in cohort 1: yes.'],
    [null, 'in cohort 5: not known.'],
  ]);
  expect(evaluateSteps(prepared, 'gone', subjectOf(), { now: NOW })).toBeUndefined();
});
