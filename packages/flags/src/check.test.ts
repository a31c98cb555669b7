import { describe, expect, test } from 'vitest';
import { checkFilters } from './check.js';

const known = { flagKeys: new Set(['base', '7']), cohortIds: new Set([1]), groupTypes: new Set([0]) };
const check = (filters: unknown) => checkFilters(filters, known).map(({ path, message }) => `${path}: ${message}`);
const property = (fields: object) =>
  check({
    groups: [
      {},
      {
        properties: [
          { key: 'a', value: 'x' },
          { key: 'p', type: 'person', ...fields },
        ],
      },
    ],
  });
const AT = 'groups[1].properties[1]';

test('valid filters have no faults', () => {
  const properties = [
    { key: 'a', type: 'person', operator: 'exact', value: ['x'] },
    { key: 'a', type: 'person', operator: 'is_set' },
    { key: 'a', type: 'group', group_type_index: 0, operator: 'between', value: [1, 2] },
    { key: 'id', type: 'cohort', operator: 'in', value: 1 },
    { key: '7', type: 'flag', operator: 'flag_evaluates_to', value: true },
    { key: 'a', operator: 'semver_wildcard', value: '1.2.*' },
    { key: 'a', operator: 'is_date_after', value: '-7d' },
    { key: 'a', operator: 'regex', value: '^a' },
  ];
  const variants = [33.33, 33.33, 33.33].map((share, i) => ({ key: `v${i}`, rollout_percentage: share }));
  expect(
    check({
      groups: [{ properties, rollout_percentage: 0.5, variant: 'v1', aggregation_group_type_index: null }, { variant: null }],
      multivariate: { variants },
      payloads: { v0: '1' },
      early_exit: true,
      holdout: { id: 1, exclusion_percentage: 10 },
      aggregation_group_type_index: 0,
    }),
  ).toEqual([]);
  expect(check({ groups: null, multivariate: null, payloads: { true: '1' } })).toEqual([]);
  expect(check({})).toEqual([]);
});

describe('filters', () => {
  const variant = (key: unknown, share: unknown) => ({ key, rollout_percentage: share });
  test.each([
    [null, ['filters: Must be an object.']],
    [{ groups: {} }, ['groups: Must be a list.']],
    [{ groups: [5] }, ['groups[0]: Must be an object.']],
    [{ groups: [{ properties: 'x' }] }, ['groups[0].properties: Must be a list.']],
    [
      { groups: [{ rollout_percentage: 101 }, { rollout_percentage: '5' }, { rollout_percentage: -1 }] },
      [0, 1, 2].map((i) => `groups[${i}].rollout_percentage: Must be a number from 0 to 100.`),
    ],
    [{ groups: [{ aggregation_group_type_index: 3 }] }, ['groups[0].aggregation_group_type_index: There is no such group type.']],
    [{ aggregation_group_type_index: '0' }, ['aggregation_group_type_index: There is no such group type.']],
    [{ groups: [{ variant: 'gone' }] }, ['groups[0].variant: There is no such variant.']],
    [
      { multivariate: { variants: [variant('a', 50), variant('b', 49)] } },
      ['multivariate.variants: The percentages of all variants must sum to 100, and they sum to 99.'],
    ],
    [
      { multivariate: { variants: [variant('a', 50), variant('a', 50)] } },
      ['multivariate.variants[1].key: Another variant has this key.'],
    ],
    [
      { multivariate: { variants: [variant('', 'x')] } },
      [
        'multivariate.variants[0].key: Must be text that is not empty.',
        'multivariate.variants[0].rollout_percentage: Must be a number from 0 to 100.',
      ],
    ],
    [{ payloads: { a: '1' } }, ['payloads.a: A flag without variants has one payload, named true.']],
    [{ multivariate: { variants: [variant('a', 100)] }, payloads: { b: '1' } }, ['payloads.b: There is no such variant.']],
    [{ payloads: { true: 'no json' } }, ['payloads.true: Must be JSON.']],
    [{ early_exit: 'yes' }, ['early_exit: Must be true or false.']],
    [
      { holdout: { exclusion_percentage: 200 } },
      ['holdout.id: Must be a number or text.', 'holdout.exclusion_percentage: Must be a number from 0 to 100.'],
    ],
    [
      { super_groups: [{ properties: [{ key: 'base', type: 'flag', value: true }] }] },
      ['super_groups[0].properties[0].type: People choose about early access, other flags do not.'],
    ],
    [{ super_groups: [{ rollout_percentage: 300 }] }, ['super_groups[0].rollout_percentage: Must be a number from 0 to 100.']],
  ])('%j', (filters, faults) => expect(check(filters)).toEqual(faults));
});

describe('properties', () => {
  test.each<[object, string]>([
    [{ type: 'moon' }, 'type: Must be one of person, group, cohort, flag, person_metadata.'],
    [{ key: '' }, 'key: Must be text that is not empty.'],
    [{ operator: 5 }, 'operator: Must be text.'],
    [
      { value: 'x', negation: true },
      'negation: Only conditions of cohorts can be negated; flags have operators such as is_not and not_in.',
    ],
    [{ operator: 'sounds_like', value: 'x' }, 'operator: There is no operator sounds_like.'],
    [{ operator: 'constructor', value: 'x' }, 'operator: There is no operator constructor.'],
    [{ operator: 'semver_about', value: '1.2.3' }, 'operator: There is no operator semver_about.'],
    [{ operator: 'exact', value: [] }, 'value: Must not be an empty list.'],
    [{ operator: 'exact' }, 'value: Must not be empty.'],
    [{ operator: 'icontains', value: ['a'] }, 'value: Must be a single value, not a list.'],
    [{ operator: 'gt', value: 'x' }, 'value: Must be a number.'],
    [{ operator: 'between', value: [2, 1] }, 'value: Must be a list of two numbers, the smaller first.'],
    [{ operator: 'not_between', value: 3 }, 'value: Must be a list of two numbers, the smaller first.'],
    [{ operator: 'regex', value: '(' }, 'value: Must be a valid regular expression.'],
    [{ operator: 'not_regex', value: 'x'.repeat(1001) }, 'value: Must not be longer than 1000 characters.'],
    [{ operator: 'is_date_before', value: '2026-02-30' }, 'value: Must be a date such as 2026-01-31, or a time ago such as -7d.'],
    [{ operator: 'semver_gt', value: 'x' }, 'value: Must be a version such as 1.2.3.'],
    [{ operator: 'semver_wildcard', value: '1.*.3' }, 'value: Must be a version such as 1.2.*.'],
    [{ type: 'group', group_type_index: 4, value: 1 }, 'group_type_index: There is no such group type.'],
    [{ type: 'cohort', value: 2 }, 'value: There is no cohort 2.'],
    [{ type: 'cohort', operator: 'is', value: 1 }, 'operator: Must be in or not_in.'],
    [{ type: 'flag', key: 'gone', value: true }, 'key: There is no flag gone.'],
    [{ type: 'flag', key: 'base', value: 1 }, 'value: Must be true, false, or the key of a variant.'],
    [{ type: 'flag', key: 'base', operator: 'gt', value: true }, 'operator: Must be flag_evaluates_to.'],
  ])('%j', (fields, fault) => expect(property(fields)).toEqual([`${AT}.${fault}`]));

  test('a version with very many wildcards is parsed in linear time', () => {
    const begun = process.cpuUsage();
    expect(property({ operator: 'semver_wildcard', value: `${'x.'.repeat(200_000)}!` })).toHaveLength(1);
    const { user, system } = process.cpuUsage(begun);
    // a tenth of it took 6,000 ms
    expect((user + system) / 1000).toBeLessThan(1000);
  });

  test('patterns are checked by the engine that evaluates them', () => {
    const filters = { groups: [{ properties: [{ key: 'a', operator: 'regex', value: '(?=a)' }] }] };
    expect(checkFilters(filters, { ...known, isRegex: () => false })).toHaveLength(1);
  });
});
