import { describe, expect, test } from 'vitest';
import { verdictsOf } from '../../query/flag-verdicts.js';
import { differencesOf } from './differences.js';
import { type Condition, changedFields, draftOf, type FlagContent, faultsOf, fieldsOf, hasFaults, listOfText } from './draft.js';

const person = { type: 'person', key: 'plan', operator: 'exact', value: ['pro'] };
const FLAG: FlagContent = {
  key: 'checkout',
  name: 'On one page',
  tags: ['shop'],
  filters: {
    groups: [
      { properties: [person, { key: '7', type: 'flag', operator: 'flag_evaluates_to', value: true }], rollout_percentage: 40 },
      { properties: [], rollout_percentage: 10, variant: 'test', description: 'Everybody else', sort_key: 'x' },
    ],
    multivariate: {
      variants: [
        { key: 'control', name: '', rollout_percentage: 50 },
        { key: 'test', name: 'New', rollout_percentage: 50 },
      ],
    },
    payloads: { test: '{"a":1}' },
    aggregation_group_type_index: null,
    holdout: { id: 3, exclusion_percentage: 5 },
  },
};

describe('the draft of a flag', () => {
  test('goes back to the same filters, also in what the editor does not show', () => {
    expect(fieldsOf(draftOf(FLAG), FLAG.filters).filters).toEqual(FLAG.filters);
  });

  test('sends only the fields that changed', () => {
    const draft = { ...draftOf(FLAG), name: 'Other words' };
    expect(changedFields(draft, FLAG as never)).toEqual({ name: 'Other words' });
  });

  test('of a new flag is for nobody, and lacks only its key', () => {
    const draft = draftOf(null);
    expect(draft.conditions.map(({ percentage }) => percentage)).toEqual([0]);
    expect(hasFaults(faultsOf(draft))).toBe(true);
    expect(hasFaults(faultsOf({ ...draft, key: 'a-flag' }))).toBe(false);
  });
});

describe('faults of a draft', () => {
  test('name a split that does not sum to 100, keys that are double or empty, and payloads that are no JSON', () => {
    const draft = draftOf(FLAG);
    const [control, other] = draft.variants as [never, never];
    const variants = [
      { ...(control as object), percentage: 30 },
      { ...(other as object), key: 'control', payload: '{a' },
    ] as never;
    const faults = faultsOf({ ...draft, variants });
    expect(faults.split).toBe('Sums to 80%, and must sum to 100%');
    expect(faults.variants.get(1)?.key).toBe('Another variant has this key');
    expect(faults.variants.get(1)?.payload).toMatch(/^Not JSON: /);
  });
});

describe('differences', () => {
  test('count a condition that moved once, and name what changed in words', () => {
    const before = draftOf(FLAG);
    const [first, second] = before.conditions as [Condition, Condition];
    expect(differencesOf(before, { ...before, conditions: [second, first] })).toEqual([
      { what: 'Order of conditions', before: '1, 2', after: '2, 1' },
    ]);
    expect(differencesOf(before, { ...before, conditions: [{ ...first, percentage: 60 }] })).toEqual([
      { what: 'Condition 1', before: 'plan is pro and flag 7 is on, 40%', after: 'plan is pro and flag 7 is on, 60%' },
      { what: 'Condition 2', before: 'Everybody else: all, 10%, then test', after: '' },
    ]);
  });

  test('are none between equal drafts', () => expect(differencesOf(draftOf(FLAG), draftOf(FLAG))).toEqual([]));
});

test('verdicts name the conditions that were not reached', () => {
  const property = { matches: true, message: 'plan exact pro (it is pro): yes.' };
  const step = {
    stage: 'condition',
    condition_index: 0,
    outcome: 'decided' as const,
    message: '',
    properties: [property],
    rollout: { share: 0.314, percentage: 40 },
  };
  expect(verdictsOf([step], draftOf(FLAG).conditions)).toEqual([
    {
      title: '1 Condition',
      outcome: 'decided',
      reasons: ['plan exact pro (it is pro): yes.', 'At 31.4 of 100, within the rollout of 40%'],
    },
    { title: '2 Everybody else', outcome: 'not_reached', reasons: ['Not reached: condition 1 decided'] },
  ]);
});

test('lists are read from texts', () => {
  expect(listOfText(' a, b,,a ')).toEqual(['a', 'b']);
});
