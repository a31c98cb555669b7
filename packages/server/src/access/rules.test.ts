import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ACCESS_LEVELS, type AccessLevel, reaches } from './levels.js';
import { levelByRules, type Rule, resolveLevels } from './rules.js';

const forAll = (level: AccessLevel): Pick<Rule, 'level' | 'isNamed'> => ({ level, isNamed: false });
const named = (level: AccessLevel): Pick<Rule, 'level' | 'isNamed'> => ({ level, isNamed: true });

describe('rules about one object', () => {
  test.each([
    ['no rule', [], null],
    ['one for everybody', [forAll('viewer')], 'viewer'],
    ['one for the member raises', [forAll('none'), named('editor')], 'editor'],
    ['one for the member lowers', [forAll('manager'), named('viewer')], 'viewer'],
    ['the highest of several named ones', [named('none'), named('editor'), named('viewer')], 'editor'],
    ['the highest named one, below the one for everybody', [named('none'), forAll('editor'), named('viewer')], 'viewer'],
    ['none means none', [named('none'), forAll('manager')], 'none'],
  ] as const)('%s', (_name, rules, level) => {
    expect(levelByRules(rules)).toBe(level);
  });
});

const wide = (level: AccessLevel, isNamed = false): Rule => ({ objectId: null, level, isNamed });
const about7 = (level: AccessLevel, isNamed = false): Rule => ({ objectId: '7', level, isNamed });

describe('rules about an object and about its kind', () => {
  test.each([
    // rules, level on object 7, level on others
    [[], 'editor', 'editor'],
    [[wide('viewer')], 'viewer', 'viewer'],
    [[wide('none')], 'none', 'none'],
    [[about7('viewer')], 'viewer', 'editor'],
    [[about7('none')], 'none', 'editor'],
    [[wide('none'), about7('editor')], 'editor', 'none'],
    // what is said of the object itself wins, even over what is said of somebody and its kind
    [[wide('manager', true), about7('none')], 'none', 'manager'],
    [[wide('manager', true), about7('none'), about7('viewer', true)], 'viewer', 'manager'],
    [[wide('none'), wide('viewer', true), about7('manager')], 'manager', 'viewer'],
  ] as const)('%j: %s, else %s', (rules, on7, onOthers) => {
    const { objects, resource } = resolveLevels(rules);
    expect(objects.get('7') ?? resource).toBe(on7);
    expect(resource).toBe(onOthers);
  });
});

const anyLevel = fc.constantFrom(...ACCESS_LEVELS);
const anyRule: fc.Arbitrary<Rule> = fc.record({
  objectId: fc.constantFrom(null, '1', '2'),
  level: anyLevel,
  isNamed: fc.boolean(),
});

describe('any set of rules', () => {
  test('their order has no effect', () => {
    const shuffled = fc
      .array(anyRule)
      .chain((rules) => fc.tuple(fc.constant(rules), fc.shuffledSubarray(rules, { minLength: rules.length })));
    fc.assert(
      fc.property(shuffled, ([rules, others]) => {
        expect(resolveLevels(others)).toEqual(resolveLevels(rules));
      }),
    );
  });

  test('an additional named rule gives at least its level, and does not affect other objects', () => {
    fc.assert(
      fc.property(fc.array(anyRule), anyLevel, (rules, level) => {
        const before = resolveLevels(rules);
        const after = resolveLevels([...rules, { objectId: '1', level, isNamed: true }]);
        expect(reaches(after.objects.get('1') ?? 'none', level)).toBe(true);
        expect(after.objects.get('2')).toBe(before.objects.get('2'));
        expect(after.resource).toBe(before.resource);
      }),
    );
  });

  test('the resulting level is one of the rules, or the default', () => {
    fc.assert(
      fc.property(fc.array(anyRule), (rules) => {
        const given = new Set<AccessLevel>(['editor', ...rules.map((rule) => rule.level)]);
        const { objects, resource } = resolveLevels(rules);
        for (const level of [resource, ...objects.values()]) expect(given).toContain(level);
      }),
    );
  });
});
