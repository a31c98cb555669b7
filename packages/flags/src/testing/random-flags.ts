import fc from 'fast-check';
import type { FlagCondition, FlagDefinition, FlagProperty } from '../types.js';

const KEYS = ['email', 'plan', 'age', 'version', 'seen', 'staff'] as const;

/** Property values; no integers where text is compared, because other evaluators refuse to convert those. */
const VALUES = {
  email: ['ada@example.com', 'ADA@Example.com', 'grace@navy.mil', '', 'true'],
  plan: ['free', 'Pro', 'pro', 'enterprise', null, ['a', 'b'], { tier: 'x' }],
  age: [0, 17, 18.5, 42, -3, 1e6],
  version: ['1.2.3', '1.2.4', '0.9.1', 'v2.0.0', '10.1', '3'],
  seen: ['2026-03-01T10:00:00Z', '2025-03-31T12:00:00.500Z', '2026-03-30', '2020-02-29T00:00:00+02:00'],
  staff: [true, false, 'true', 'False'],
} as const;

const filterOf = (key: keyof typeof VALUES): fc.Arbitrary<FlagProperty> => {
  const one = (operators: readonly string[], values: readonly unknown[]) =>
    fc.record({
      key: fc.constant(key),
      type: fc.constant('person' as const),
      operator: fc.constantFrom(...operators),
      value: fc.constantFrom(...values),
    });
  const set = one(['is_set', 'is_not_set'], ['is_set']);
  switch (key) {
    case 'email':
    case 'plan':
      return fc.oneof(
        one(
          ['exact', 'is_not'],
          [...VALUES[key].filter((value) => value !== null), ['pro', 'FREE'], ['ada@example.com'], ['x', 'true']],
        ),
        one(
          ['icontains', 'not_icontains', 'starts_with', 'not_starts_with', 'ends_with', 'not_ends_with'],
          ['ada', 'PRO', '@example', '.mil', 'e', 'é'],
        ),
        one(['regex', 'not_regex'], ['^ada', 'e$', '[a-z]+@', 'pro|free', '(', '']),
        set,
      );
    case 'age':
      return fc.oneof(one(['gt', 'gte', 'lt', 'lte'], [0, 18, 18.5, '17', 42, '1e6', -3]), set);
    case 'version':
      return fc.oneof(
        one(['semver_eq', 'semver_neq', 'semver_gt', 'semver_gte', 'semver_lt', 'semver_lte'], ['1.2.3', '2', 'v0.9', '10.1.0']),
        one(['semver_tilde', 'semver_caret'], ['1.2.3', '0.9.0', '0.0.3', '2']),
        one(['semver_wildcard'], ['1.2.*', '1.*', '0.9.*', '10.*']),
      );
    case 'seen':
      return one(
        ['is_date_before', 'is_date_after'],
        ['2026-03-15', '2025-12-31T23:00:00Z', '-7d', '30d', '-1m', '13m', '-1y', '-24h', '2w'],
      );
    case 'staff':
      return fc.oneof(one(['exact', 'is_not'], [true, false, 'true', 'FALSE', [true], ['false', 'x'], []]), set);
  }
};

const cohortFilter = fc.record({
  key: fc.constant('id'),
  type: fc.constant('cohort' as const),
  operator: fc.constantFrom('in', 'not_in'),
  value: fc.constantFrom(1, 2, 3),
});

const personFilter = fc.constantFrom(...KEYS).chain(filterOf);

const asGroup = (property: FlagProperty): FlagProperty => ({ ...property, type: 'group', group_type_index: 0 });

const condition = (group: boolean): fc.Arbitrary<FlagCondition> =>
  fc.record(
    {
      properties: fc.array(
        group
          ? personFilter.map(asGroup)
          : fc.oneof({ weight: 5, arbitrary: personFilter }, { weight: 1, arbitrary: cohortFilter }),
        { maxLength: 3 },
      ),
      rollout_percentage: fc.constantFrom(100, null, 0.5, 25, 50, 80, 99.9),
      variant: fc.constantFrom(null, 'control', 'test', 'none'),
    },
    { requiredKeys: ['properties'] },
  );

const person = fc.record(
  {
    email: fc.constantFrom(...VALUES.email),
    plan: fc.constantFrom(...VALUES.plan),
    age: fc.constantFrom(...VALUES.age),
    version: fc.constantFrom(...VALUES.version),
    seen: fc.constantFrom(...VALUES.seen),
    staff: fc.constantFrom(...VALUES.staff),
  },
  { requiredKeys: [] },
);

/** All properties are present, so that local evaluators never need the server. */
export const wholeSubject = fc.record({
  distinctId: fc.oneof(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }), fc.uuid()),
  person: fc.record({
    email: fc.constantFrom(...VALUES.email),
    plan: fc.constantFrom(...VALUES.plan),
    age: fc.constantFrom(...VALUES.age),
    version: fc.constantFrom(...VALUES.version),
    seen: fc.constantFrom(...VALUES.seen),
    staff: fc.constantFrom(...VALUES.staff),
  }),
  company: fc.option(fc.constantFrom('acme', 'globex', '7'), { nil: undefined }),
});

export const anySubject = fc.record({ distinctId: fc.string({ maxLength: 30 }), person });

const leaf = fc.tuple(personFilter, fc.boolean()).map(([property, negation]) => ({ ...property, negation }));
const group = (values: fc.Arbitrary<unknown>) =>
  fc.record({ type: fc.constantFrom('AND', 'OR'), values: fc.array(values, { minLength: 1, maxLength: 3 }) });

/** Cohort 1 is flat, 2 is nested, 3 references the others. */
export const cohorts = fc.record({
  1: group(leaf),
  2: group(group(leaf)),
  3: group(
    fc.oneof(
      leaf,
      fc.constantFrom(1, 2).map((value) => ({ key: 'id', type: 'cohort', value, operator: 'in' })),
    ),
  ),
});

const payloads = fc.constantFrom({}, { true: '{"a":1}', control: '1', test: '"t"' });

/** A random active flag without dependencies. */
export const anyFlag = (id: number): fc.Arbitrary<FlagDefinition> =>
  fc
    .record({
      kind: fc.constantFrom('person', 'person', 'group', 'mixed'),
      conditions: fc.array(fc.tuple(condition(false), condition(true), fc.boolean()), { maxLength: 4 }),
      variants: fc.constantFrom([], [50, 50], [33.3, 33.3, 33.4], [10, 20]),
      payloads,
      early_exit: fc.constantFrom(undefined, false, true),
      holdout: fc.constantFrom(undefined, undefined, { id: 3, exclusion_percentage: 10 }),
      device: fc.boolean(),
    })
    .map(({ kind, conditions, variants, payloads, early_exit, holdout, device }) => {
      const groups = conditions.map(([ofPerson, ofGroup, second]): FlagCondition => {
        if (kind === 'person') return ofPerson;
        if (kind === 'group') return ofGroup;
        return second ? { ...ofGroup, aggregation_group_type_index: 0 } : { ...ofPerson, aggregation_group_type_index: null };
      });
      const keys = ['control', 'test', 'third'];
      const filters = {
        groups,
        payloads,
        aggregation_group_type_index: kind === 'group' ? 0 : null,
        multivariate: variants.length
          ? { variants: variants.map((share, i) => ({ key: keys[i] ?? '', rollout_percentage: share })) }
          : null,
        ...(early_exit === undefined ? {} : { early_exit }),
        ...(holdout ? { holdout } : {}),
      };
      return {
        id,
        key: `flag-${id}`,
        active: true,
        bucketing_identifier: device && kind === 'person' ? 'device_id' : null,
        filters,
      };
    });
