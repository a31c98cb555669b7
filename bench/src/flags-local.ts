/** Local evaluation: CPU time of one evaluation of typical and of very many flags. */
import { evaluateFlags, type FlagDefinition, prepareFlags, type Subject } from '@tidemark/flags';
import { finish, report } from './report.js';

const environment = { now: Date.parse('2026-03-31T12:00:00Z') };
const subjects: Subject[] = Array.from({ length: 20 }, (_, i) => ({
  distinctId: `0199a3c2-7b1e-7c11-9d3a-${String(i).padStart(12, '0')}`,
  groups: { 0: { key: `company-${i % 7}`, properties: { plan: i % 2 ? 'scale' : 'free', seats: i } } },
  personProperties: {
    email: `person${i}@example.com`,
    country: ['DE', 'FR', 'US'][i % 3],
    plan: i % 4 ? 'pro' : 'free',
    age: 20 + (i % 50),
    app_version: `2.${i % 12}.3`,
    signed_up: '2025-11-02T10:00:00Z',
    is_staff: i % 16 === 0,
  },
}));

const variants = [
  { key: 'control', rollout_percentage: 50 },
  { key: 'test', rollout_percentage: 50 },
];
/** Half are plain rollouts; the rest use properties, groups, variants, versions and dates. */
const kinds: ((i: number) => Record<string, unknown>)[] = [
  () => ({ groups: [{ properties: [], rollout_percentage: 30 }] }),
  (i) => ({ groups: [{ properties: [], rollout_percentage: i * 2 }] }),
  () => ({ groups: [{ properties: [], rollout_percentage: 100 }], payloads: { true: '{"a":1}' } }),
  () => ({ groups: [{ properties: [{ key: 'email', type: 'person', operator: 'icontains', value: '@example.com' }] }] }),
  () => ({ groups: [{ properties: [{ key: 'country', type: 'person', value: ['DE', 'FR'] }], rollout_percentage: 50 }] }),
  () => ({ groups: [{ rollout_percentage: 100 }], multivariate: { variants } }),
  () => ({
    groups: [{ properties: [{ key: 'plan', type: 'group', group_type_index: 0, value: 'scale' }], rollout_percentage: 50 }],
    aggregation_group_type_index: 0,
  }),
  () => ({ groups: [{ properties: [{ key: 'app_version', type: 'person', operator: 'semver_gte', value: '2.4.0' }] }] }),
  () => ({ groups: [{ properties: [{ key: 'signed_up', type: 'person', operator: 'is_date_after', value: '-90d' }] }] }),
  () => ({
    groups: [
      { properties: [{ key: 'is_staff', type: 'person', value: true }], rollout_percentage: 100 },
      { properties: [{ key: 'age', type: 'person', operator: 'gt', value: 30 }], rollout_percentage: 20 },
    ],
  }),
];
const flag = (i: number, filters: Record<string, unknown>): FlagDefinition => ({
  id: i,
  key: `flag-${i}`,
  active: true,
  filters,
});

const typical = prepareFlags(Array.from({ length: 50 }, (_, i) => flag(i, kinds[i % kinds.length]?.(i) ?? {})));
/** Conditions that all fail at their last property, so that every property is evaluated. */
const many = prepareFlags(
  Array.from({ length: 1000 }, (_, i) =>
    flag(i, {
      groups: Array.from({ length: 100 }, (_, j) => ({
        properties: [
          { key: 'country', type: 'person', operator: 'is_not', value: `X${j}` },
          { key: j % 2 ? 'email' : 'plan', type: 'person', operator: j % 3 ? 'exact' : 'icontains', value: `nobody-${i}-${j}` },
        ],
        rollout_percentage: 50,
      })),
    }),
  ),
);

/** CPU microseconds of one call, over about a second. */
function cost(prepared: typeof typical, rounds: number): number {
  const evaluate = (n: number) => {
    for (let i = 0; i < n; i += subjects.length) for (const subject of subjects) evaluateFlags(prepared, subject, environment);
  };
  evaluate(rounds / 5);
  const start = process.cpuUsage();
  evaluate(rounds);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / rounds;
}

finish(
  report('Local evaluation of flags', [
    { name: '50 typical flags', value: cost(typical, 20_000), unit: 'µs', below: 50 },
    { name: '1,000 flags x 100 conditions', value: cost(many, 100) / 1000, unit: 'ms', below: 10 },
  ]),
);
