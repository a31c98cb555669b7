import { describe, expect, test } from 'vitest';
import { propertiesNeeded } from './needs.js';
import { prepareFlags } from './prepare.js';
import { all, flagFor, flagOf, once } from './testing/subjects.js';
import type { FlagFilters } from './types.js';

const company = (key: string, properties = {}) => ({ groups: { 0: { key, properties } } });
const pro = { key: 'plan', type: 'person' as const, value: 'pro' };
const outside = { rollout_percentage: 0 };

describe('reasons', () => {
  const wrong = { properties: [pro] };
  const grouped = { aggregation_group_type_index: 0 };
  test.each<[string, FlagFilters, string, number | null]>([
    ['no conditions', { groups: [] }, 'no_condition_match', null],
    ['nothing matches: the last', { groups: [wrong, wrong] }, 'no_condition_match', 1],
    ['a rollout counts more than a property', { groups: [wrong, outside, wrong] }, 'out_of_rollout_bound', 1],
    ['of equals the last', { groups: [outside, wrong, outside] }, 'out_of_rollout_bound', 2],
    ['a property counts more than a group that is not there', { groups: [grouped, wrong, grouped] }, 'no_condition_match', 1],
    ['only groups that are not there', { groups: [grouped, grouped] }, 'no_group_type', 1],
    ['the first match', { groups: [wrong, {}, {}] }, 'condition_match', 1],
  ])('%s', (_, filters, reason, conditionIndex) => {
    expect(once(flagOf('flag', filters))).toMatchObject({ reason, conditionIndex, value: reason === 'condition_match' });
  });
});

describe('rollouts', () => {
  test('a hash equal to the percentage is included, and 100 % includes an empty id', () => {
    const nobody = { distinctId: '' };
    const variants = ['x', 'y'].map((key) => ({ key, rollout_percentage: 50 }));
    expect(once(flagOf('flag', { groups: [outside] }), nobody).value).toBe(true);
    expect(once(flagOf('flag', { groups: [outside], multivariate: { variants } }), nobody).value).toBe('x');
    expect(once(flagOf('flag', { groups: [outside] }), { distinctId: 'a' }).value).toBe(false);
  });

  test('identifiers are limited to 200 characters, whatever their size in bytes', () => {
    const share = { groups: [{ rollout_percentage: 50 }] };
    const flags = Array.from({ length: 40 }, (_, i) => flagOf(`flag-${i}`, share));
    const values = (distinctId: string) => [...all(flags, { distinctId }).values()].map(({ value }) => value);
    expect(values(`${'😀'.repeat(200)}one`)).toEqual(values(`${'😀'.repeat(200)}two`));
    expect(values(`${'😀'.repeat(199)}a`)).not.toEqual(values(`${'😀'.repeat(199)}b`));
    expect(values(`${'x'.repeat(200)}one`)).toEqual(values('x'.repeat(200)));
  });

  test('the variant of a condition is used if it exists', () => {
    const multivariate = {
      variants: [
        { key: 'a', rollout_percentage: 100 },
        { key: 'b', rollout_percentage: 0 },
      ],
    };
    const payloads = { a: '1', b: '{"b":2}', true: '3' };
    const flag = (variant: string) => flagOf('flag', { groups: [{ variant }], multivariate, payloads });
    expect(once(flag('b'))).toMatchObject({ value: 'b', variant: 'b', payload: '{"b":2}' });
    expect(once(flag('gone'))).toMatchObject({ value: 'a', variant: 'a', payload: '1' });
  });

  test('with variants that sum to less than 100 % some identifiers get none', () => {
    const multivariate = { variants: [{ key: 'a', rollout_percentage: 0 }] };
    expect(once(flagOf('flag', { groups: [{}], multivariate, payloads: { true: '3' } }))).toMatchObject({
      value: true,
      variant: null,
      payload: '3',
    });
  });

  test('early exit stops at the first condition whose rollout excludes the subject, not at one whose properties do not match', () => {
    const filters = { groups: [{ properties: [pro] }, outside, {}], early_exit: true };
    expect(once(flagOf('flag', filters))).toMatchObject({ value: false, reason: 'out_of_rollout_bound', conditionIndex: 1 });
    expect(once(flagOf('flag', { groups: [{ properties: [pro] }, {}], early_exit: true })).value).toBe(true);
  });
});

describe('the identifier of a rollout', () => {
  const half = { groups: [{ rollout_percentage: 50 }] };
  const flags = (more = {}) => Array.from({ length: 30 }, (_, i) => flagOf(`flag-${i}`, half, more));
  const values = (more: object, subject: object) => [...all(flags(more), subject).values()].map(({ value }) => value);
  const plain = (distinctId: string) => values({}, { distinctId });

  test('it is the device id if the flag says so and there is one', () => {
    const byDevice = { bucketing_identifier: 'device_id' };
    expect(values(byDevice, { distinctId: 'a', deviceId: 'd', hashKey: () => 'h' })).toEqual(plain('d'));
    const without = once(flagOf('flag', { groups: [{}, { aggregation_group_type_index: 0 }] }, byDevice), company('acme'));
    expect(without).toMatchObject({ value: true, conditionIndex: 1 });
    expect(once(flagOf('flag', { groups: [{}] }, byDevice))).toMatchObject({
      value: false,
      reason: 'out_of_rollout_bound',
      conditionIndex: 0,
    });
  });

  test('it is the former id of the person for experience continuity', () => {
    expect(values({}, { distinctId: 'a', hashKey: () => 'before' })).toEqual(plain('before'));
    expect(values({}, { distinctId: 'a', hashKey: () => undefined })).toEqual(plain('a'));
  });

  test('it is the group key for flags and conditions about groups', () => {
    const subject = { distinctId: 'a', ...company('acme') };
    const grouped = { groups: [{ rollout_percentage: 50 }], aggregation_group_type_index: 0 };
    const mixed = { groups: [{ rollout_percentage: 50, aggregation_group_type_index: 0 }] };
    const person = { groups: [{ rollout_percentage: 50, aggregation_group_type_index: null }], aggregation_group_type_index: 0 };
    const of = (filters: FlagFilters) =>
      Array.from({ length: 30 }, (_, i) => once(flagOf(`flag-${i}`, filters), { ...subject, hashKey: () => 'a' }).value);
    expect(of(grouped)).toEqual(plain('acme'));
    expect(of(mixed)).toEqual(plain('acme'));
    expect(of(person)).toEqual(plain('a'));
    expect(once(flagOf('flag', { groups: [{}], aggregation_group_type_index: 0 }), company('')).reason).toBe('no_group_type');
  });
});

describe('properties', () => {
  test('properties of groups are those of the named type, or else of the subject of the condition', () => {
    const groups = { 0: { key: 'acme', properties: { plan: 'pro' } }, 1: { key: 'blue', properties: { plan: 'free' } } };
    const flag = (group: number | undefined, about: number | null) =>
      flagOf('flag', {
        groups: [{ properties: [{ ...pro, type: 'group', ...(group === undefined ? {} : { group_type_index: group }) }] }],
        aggregation_group_type_index: about,
      });
    expect(once(flag(0, null), { groups }).value).toBe(true);
    expect(once(flag(1, 0), { groups }).value).toBe(false);
    expect(once(flag(undefined, 0), { groups }).value).toBe(true);
    const person = flagOf('flag', { groups: [{ properties: [pro] }], aggregation_group_type_index: 1 });
    expect(once(person, { groups, personProperties: { plan: 'pro' } }).value).toBe(true);
    const key = { key: '$group_key', type: 'group' as const, value: 'ACME' };
    expect(once(flagOf('flag', { groups: [{ properties: [key] }], aggregation_group_type_index: 0 }), { groups }).value).toBe(
      true,
    );
  });

  test('an $initial_ property is not derived from the current one: the caller that reads stored properties adds it', () => {
    const flag = flagFor({ key: '$initial_utm_source', type: 'person', value: 'a' });
    const personProperties = { utm_source: 'a', $utm_source: 'a' };
    expect(once(flag, { personProperties }).value).toBe(false);
    expect(once(flag, { personProperties, incomplete: true }).inconclusive).toBe(true);
  });
});

describe('early access', () => {
  const filters = { groups: [{}], feature_enrollment: true, payloads: { true: '1' } };
  test.each([[true], ['true']])('a person enrolled by %o has the flag', (choice) => {
    const result = once(flagOf('beta', { ...filters, groups: [] }), { personProperties: { '$feature_enrollment/beta': choice } });
    expect(result).toMatchObject({ value: true, reason: 'super_condition_value', conditionIndex: 0, payload: '1' });
  });
  test('a person who opted out, and one without a choice', () => {
    const left = once(flagOf('beta', filters), { personProperties: { '$feature_enrollment/beta': 'false' } });
    expect(left).toMatchObject({ value: false, reason: 'super_condition_value' });
    expect(once(flagOf('beta', filters)).reason).toBe('condition_match');
  });
  test('the legacy form of enrolment', () => {
    const older = { groups: [{}], super_groups: [{ properties: [{ key: 'joined', value: ['yes'] }], rollout_percentage: 100 }] };
    const reason = 'super_condition_value';
    expect(once(flagOf('beta', older), { personProperties: { joined: 'yes' } })).toMatchObject({ value: true, reason });
    expect(once(flagOf('beta', older), { personProperties: { joined: 'no' } })).toMatchObject({ value: false, reason });
    expect(once(flagOf('beta', older)).reason).toBe('condition_match');
  });
});

describe('holdouts', () => {
  const subject = { distinctId: 'user-1' };
  const reason = 'holdout_condition_value';
  test('both forms exclude the same subjects', () => {
    // user-1 is at 17.8 %
    expect(once(flagOf('a', { groups: [{}], holdout: { id: 4, exclusion_percentage: 20 } }), subject)).toMatchObject({
      value: 'holdout-4',
      variant: 'holdout-4',
      reason,
      conditionIndex: null,
    });
    expect(
      once(flagOf('b', { groups: [], holdout_groups: [{ variant: 'holdout-9', rollout_percentage: 20 }] }), subject),
    ).toMatchObject({ value: 'holdout-9', reason });
    expect(once(flagOf('c', { groups: [{}], holdout: { id: 4, exclusion_percentage: 17 } }), subject).reason).toBe(
      'condition_match',
    );
    expect(once(flagOf('d', { groups: [{}], holdout: { id: 4, exclusion_percentage: 100 } })).reason).toBe(reason);
  });
});

describe('dependencies', () => {
  const on = (key: string, value: unknown = true, more = {}) =>
    flagFor({ key, type: 'flag', operator: 'flag_evaluates_to', value, ...more });
  const named = (key: string, flag: ReturnType<typeof on>) => ({ ...flag, key });
  const base = flagOf('base', { groups: [{}] });
  const variants = flagOf('variants', { groups: [{}], multivariate: { variants: [{ key: 'test', rollout_percentage: 100 }] } });

  test('they may be ids as texts or keys, in any order', () => {
    const flags = [named('c', on('b')), named('b', on(String(base.id))), base];
    expect([...all(flags).values()].map(({ value }) => value)).toEqual([true, true, true]);
    expect([...all(flags.toReversed(), {}).keys()]).toEqual(['base', 'b', 'c']);
  });

  test.each([
    ['base', true, true],
    ['base', false, false],
    ['base', 'true', false],
    ['variants', true, true],
    ['variants', 'test', true],
    ['variants', 'other', false],
    ['variants', 1, false],
    ['off', false, true],
    ['off', true, false],
  ])('%s is %o: %o', (key, value, expected) => {
    const off = flagOf('off', { groups: [{}] }, { active: false });
    expect(all([base, variants, off, on(key, value)]).get('flag')?.value).toBe(expected);
  });

  test('a missing or cyclic dependency, and the flags that depend on it, are off', () => {
    const missing = { value: false, reason: 'missing_dependency', conditionIndex: null };
    const results = all([
      named('lost', on('nowhere', false)),
      named('child', on('lost', false)),
      named('one', on('two', false)),
      named('two', on('one', false)),
      named('self', on('self', false)),
      base,
    ]);
    for (const key of ['lost', 'child', 'one', 'two', 'self']) expect(results.get(key)).toMatchObject(missing);
    expect(results.get('base')?.value).toBe(true);
  });

  test('only the requested flags are returned', () => {
    const flags = [named('c', on('b')), named('b', on('base')), base, flagOf('other', { groups: [{}] })];
    const prepared = prepareFlags(flags);
    expect(propertiesNeeded(prepared, new Set(['c'])).person.size).toBe(0);
    const only = new Set(['c', 'unknown']);
    const results = all(flags);
    expect(results.size).toBe(4);
    expect([...all(flags, {}, {}, {}, only)].map(([key, { value }]) => [key, value])).toEqual([['c', true]]);
  });
});

describe('cohorts', () => {
  const inCohort = (value: unknown, operator?: string) =>
    flagFor({ key: 'id', type: 'cohort', value, ...(operator ? { operator } : {}) });
  const leaf = (value: string, more = {}) => ({ key: 'plan', type: 'person', value, ...more });
  const cohorts = {
    1: { type: 'OR', values: [leaf('pro'), leaf('team')] },
    2: {
      type: 'AND',
      values: [
        { key: 'id', type: 'cohort', value: 1 },
        { type: 'AND', values: [leaf('team', { negation: true })] },
      ],
    },
    3: { type: 'AND', values: [{ key: 'id', type: 'cohort', value: 4 }] },
    4: { type: 'OR', values: [{ key: 'id', type: 'cohort', value: 3, negation: true }] },
    5: { type: 'AND', values: [] },
    6: { type: 'OR', values: [{ type: 'behavioral', key: '$pageview', value: 'performed_event' }] },
    7: { type: 'OR', values: [leaf('pro', { operator: 'sounds_like', negation: true })] },
    8: { type: 'AND', values: [{ type: 'OR', values: [leaf('pro')], negation: true }] },
  };
  const member = (value: unknown, plan: string, operator?: string, more = {}) =>
    once(inCohort(value, operator), { personProperties: { plan }, ...more }, {}, cohorts).value;

  test('they are trees, can be nested and negated, and are about persons in flags of groups too', () => {
    expect([member(1, 'pro'), member('1', 'team'), member(1, 'free')]).toEqual([true, true, false]);
    for (const outside of ['not_in', 'is_not']) {
      expect([member(1, 'pro', outside), member(1, 'free', outside)]).toEqual([false, true]);
    }
    expect([member(2, 'pro'), member(2, 'team'), member(2, 'free')]).toEqual([true, false, false]);
    // groups have no negation
    expect([member(8, 'pro'), member(8, 'free')]).toEqual([true, false]);
    expect([member([9, 1], 'pro', 'in', { isInStaticCohort: () => false }), member(5, 'free')]).toEqual([true, true]);
    const grouped = flagOf('flag', {
      groups: [{ properties: [{ key: 'id', type: 'cohort', value: 1 }] }],
      aggregation_group_type_index: 0,
    });
    expect(once(grouped, { ...company('acme'), personProperties: { plan: 'pro' } }, {}, cohorts).value).toBe(true);
  });

  test('those that contain themselves, or cannot be parsed, have neither members nor non-members', () => {
    for (const id of [3, 4, 7]) for (const operator of ['in', 'not_in']) expect(member(id, 'pro', operator)).toBe(false);
    expect(member(1, 'pro', 'exactly')).toBe(false);
  });

  test('a static cohort is looked up in the cohorts of the subject', () => {
    const isInStaticCohort = (id: number) => id === 6 || undefined;
    expect(member(6, 'x', 'in', { isInStaticCohort })).toBe(true);
    expect(member(6, 'x', 'not_in', { isInStaticCohort })).toBe(false);
    expect(once(inCohort(8), { isInStaticCohort })).toMatchObject({ value: false, inconclusive: true });
    expect(once(inCohort(8, 'not_in'))).toMatchObject({ value: false, inconclusive: true });
    expect([...propertiesNeeded(prepareFlags([inCohort(6), inCohort(2)], cohorts)).memberships]).toEqual([6]);
  });
});

describe('unknown properties', () => {
  const incomplete = { incomplete: true };
  const two = (...conditions: object[]) => flagOf('flag', { groups: conditions });

  test('they are reported for flags that depend on them, and for no others', () => {
    expect(once(flagFor(pro), incomplete)).toMatchObject({ value: false, inconclusive: true });
    expect(once(flagFor({ ...pro, operator: 'is_not_set' }), incomplete)).toMatchObject({ value: false, inconclusive: true });
    expect(once(flagFor(pro), { ...incomplete, personProperties: { plan: 'free' } })).not.toHaveProperty('inconclusive');
    // another property rules the condition out
    expect(once(flagFor(pro, { key: 'a', value: 1 }), { ...incomplete, personProperties: { a: 2 } })).not.toHaveProperty(
      'inconclusive',
    );
    expect(once(two({}, { properties: [pro] }), incomplete)).not.toHaveProperty('inconclusive');
    expect(once(two({ properties: [pro] }, {}), incomplete)).toMatchObject({ value: true, inconclusive: true });
    const child = flagFor({ key: 'base', type: 'flag', value: false });
    expect(all([{ ...flagFor(pro), key: 'base' }, child], incomplete).get('flag')).toMatchObject({
      value: false,
      inconclusive: true,
    });
    expect(once(flagOf('f', { groups: [{}], feature_enrollment: true }), incomplete)).toMatchObject({
      value: true,
      inconclusive: true,
    });
  });

  test('the list of required names has those that flags use', () => {
    const flags = [
      flagFor(pro, { key: '$initial_x', type: 'person', value: 1 }),
      flagOf(
        'beta',
        { feature_enrollment: true, groups: [{ properties: [{ key: 'seats', type: 'group', group_type_index: 2, value: 1 }] }] },
        { ensure_experience_continuity: true },
      ),
      flagOf('off', { groups: [{ properties: [{ key: 'unseen', value: 1 }] }] }, { active: false }),
    ];
    const { person, groups, continuity } = propertiesNeeded(prepareFlags(flags));
    expect([...person]).toEqual(['plan', '$initial_x', 'x', '$x', '$feature_enrollment/beta']);
    expect([...groups].map(([index, keys]) => [index, ...keys])).toEqual([[2, 'seats']]);
    expect(continuity).toBe(true);
    expect(propertiesNeeded(prepareFlags(flags), new Set(['flag'])).continuity).toBe(false);
  });
});

describe('malformed flags', () => {
  const odd: unknown[] = [
    null,
    [],
    'x',
    { groups: 'x' },
    { groups: [null, 'x', 5] },
    { groups: [{ properties: 'x' }] },
    { groups: [{ properties: [null] }] },
    { groups: [{ rollout_percentage: 'all' }] },
    { groups: [{ properties: [{ key: 5, value: 1 }] }] },
    { groups: [{ properties: [{ type: 'moon', key: 'a', operator: 'is_set' }] }] },
  ];
  test('they match no subject, with a reason, and do not affect other flags', () => {
    const flags = odd.map((filters, i) => ({ id: i, key: `odd-${i}`, active: true, filters }));
    const results = all([...flags, flagOf('sound', { groups: [{}] })]);
    for (const { key } of flags)
      expect(results.get(key)).toMatchObject({ value: false, reason: expect.stringMatching(/^(no_condition_match|out_of)/) });
    expect(results.get('sound')?.value).toBe(true);
  });

  test('callbacks and properties that throw do not affect other flags', () => {
    const fail = () => {
      throw new Error('down');
    };
    const loop: unknown[] = [];
    loop.push(loop);
    const flags = [
      { ...flagFor({ key: 'id', type: 'cohort', value: 1 }), key: 'a' },
      { ...flagFor({ key: 'loop', value: 'x' }), key: 'b' },
      flagOf('sound', { groups: [{}] }),
    ];
    const results = all(flags, { isInStaticCohort: fail, personProperties: { loop } });
    for (const key of ['a', 'b']) expect(results.get(key)).toMatchObject({ value: false, inconclusive: true });
    expect(results.get('sound')?.value).toBe(true);
  });

  test('invalid variants and payloads are ignored', () => {
    const variants = [
      { key: 5, rollout_percentage: 50 },
      { key: 'a', rollout_percentage: 'x' },
      { key: 'b', rollout_percentage: 100 },
    ];
    const filters: unknown = { groups: [{}], multivariate: { variants }, payloads: 'x' };
    expect(once({ id: 1, key: 'flag', active: true, filters })).toMatchObject({ value: 'b', payload: null });
  });
});
