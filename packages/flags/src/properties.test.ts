import fc from 'fast-check';
import { expect, test } from 'vitest';
import { evaluateFlags } from './evaluate.js';
import { evaluateSteps } from './explain.js';
import { prepareFlags } from './prepare.js';
import { anyFlag, anySubject, cohorts } from './testing/random-flags.js';
import { all, flagOf, NOW, once } from './testing/subjects.js';
import { recordOf } from './value.js';

const environment = { now: NOW };
const flags = fc.tuple(anyFlag(1), anyFlag(2), anyFlag(3), anyFlag(4));
const subject = anySubject.map(({ distinctId, person }) => ({
  distinctId,
  deviceId: 'device',
  personProperties: person,
  groups: { 0: { key: 'acme', properties: person } },
}));

test('a higher percentage removes no subject', () => {
  const percentage = fc.double({ min: 0, max: 100, noNaN: true });
  fc.assert(
    fc.property(fc.string(), fc.string(), percentage, percentage, (key, distinctId, a, b) => {
      const value = (share: number) => once(flagOf(key, { groups: [{ rollout_percentage: share }] }), { distinctId }).value;
      fc.pre(value(Math.min(a, b)) === true);
      expect(value(Math.max(a, b))).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

test('rollouts and variants have their shares within 1 % of 100,000 subjects', () => {
  const variants = [20, 30, 50].map((share, i) => ({ key: `v${i}`, rollout_percentage: share }));
  const prepared = prepareFlags([
    flagOf('split', { groups: [{}], multivariate: { variants } }),
    flagOf('rollout', { groups: [{ rollout_percentage: 37 }] }),
  ]);
  const counts = new Map<unknown, number>();
  for (let i = 0; i < 100_000; i++) {
    for (const { value } of evaluateFlags(
      prepared,
      { distinctId: `user-${i}`, personProperties: {}, groups: {} },
      environment,
    ).values()) {
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
  }
  const shares = ['v0', 'v1', 'v2', true].map((value) => (counts.get(value) ?? 0) / 1000);
  for (const [i, expected] of [20, 30, 50, 37].entries()) expect(Math.abs((shares[i] ?? 0) - expected)).toBeLessThan(1);
});

test('the order of flags has no effect', () => {
  const property = fc.property(flags, fc.nat(3), cohorts, subject, (flags, turn, cohorts, subject) => {
    const turned = [...flags.slice(turn), ...flags.slice(0, turn)].toReversed();
    const child = flagOf('child', { groups: [{ properties: [{ key: 'flag-1', type: 'flag', value: true }] }] });
    const sorted = (definitions: typeof turned) =>
      [...all(definitions, subject, {}, cohorts)].sort(([a], [b]) => (a < b ? -1 : 1));
    expect(sorted([child, ...turned])).toEqual(sorted([...flags, child]));
  });
  fc.assert(property, { numRuns: 500 });
});

test('the order of keys has no effect', () => {
  const turnedKeys = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(turnedKeys);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([key, inner]) => [key, turnedKeys(inner)]),
    );
  };
  fc.assert(
    fc.property(flags, cohorts, subject, (flags, cohorts, subject) => {
      const turned = flags.map((flag) => ({ ...flag, filters: turnedKeys(flag.filters) }));
      const personProperties = recordOf(turnedKeys(subject.personProperties));
      expect(all(turned, { ...subject, personProperties }, {}, recordOf(turnedKeys(cohorts)))).toEqual(
        all(flags, subject, {}, cohorts),
      );
    }),
    { numRuns: 500 },
  );
});

test('evaluation returns for any malformed flag, and a valid flag beside it is unaffected', () => {
  const odd = fc.oneof(
    fc.json().map((text) => JSON.parse(text)),
    fc.object({
      key: fc.constantFrom(
        'groups',
        'properties',
        'multivariate',
        'variants',
        'payloads',
        'key',
        'value',
        'operator',
        'type',
        'holdout',
      ),
      maxDepth: 6,
    }),
  );
  fc.assert(
    fc.property(odd, fc.dictionary(fc.string(), fc.jsonValue()), (filters, personProperties) => {
      const results = all([{ id: 1, key: 'odd', active: true, filters }, flagOf('sound', { groups: [{}] })], {
        personProperties,
      });
      expect(results.get('odd')?.reason).toBeTypeOf('string');
      expect(results.get('sound')?.value).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

test('the last step of the explanation is the result of the evaluation', () => {
  const property = fc.property(flags, cohorts, subject, fc.boolean(), (flags, cohorts, subject, incomplete) => {
    const prepared = prepareFlags(flags, cohorts);
    const results = evaluateFlags(prepared, { ...subject, incomplete }, environment);
    for (const { key } of flags) {
      const explained = evaluateSteps(prepared, key, { ...subject, incomplete }, environment);
      expect(explained?.result).toEqual(results.get(key));
      const last = explained?.steps.at(-1);
      const ended = { condition_match: 'condition', holdout_condition_value: 'holdout' }[String(explained?.result.reason)];
      if (ended)
        expect(last).toMatchObject({ stage: ended, outcome: 'decided', conditionIndex: explained?.result.conditionIndex });
      else
        expect(
          explained?.steps.some((step) => step.outcome === 'decided' && step.rollout && !step.message.includes('outside')),
        ).toBe(false);
    }
  });
  fc.assert(property, { numRuns: 500 });
});

test('50 flags are evaluated in microseconds', () => {
  const prepared = prepareFlags(
    Array.from({ length: 50 }, (_, i) =>
      flagOf(`flag-${i}`, {
        groups: [{ properties: [{ key: 'email', operator: 'icontains', value: '@example.com' }], rollout_percentage: 50 }],
      }),
    ),
  );
  const evaluate = (rounds: number) => {
    for (let i = 0; i < rounds; i++) {
      evaluateFlags(
        prepared,
        { distinctId: `user-${i}`, personProperties: { email: `${i}@example.com` }, groups: {} },
        environment,
      );
    }
  };
  evaluate(1000);
  const start = process.cpuUsage();
  evaluate(2000);
  const { user, system } = process.cpuUsage(start);
  // the bench measures 50 µs; this limit only catches quadratic time
  expect((user + system) / 2000).toBeLessThan(500);
});
