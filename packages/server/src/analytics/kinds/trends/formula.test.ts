import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countParts, evaluate, parseFormula } from './formula.js';

function resultOf(text: string, values: number[]): number | string {
  const parsed = parseFormula(text, values.length);
  if (typeof parsed === 'string') return parsed;
  const [result = Number.NaN] = evaluate(
    parsed,
    values.map((value) => [value]),
    1,
  );
  return result;
}

describe('formulas', () => {
  test.each([
    ['A / B', 4, [0.5, 0, 0, 2], 3],
    ['-B', 4, [-2, -0, -0, -2], 2],
    ['9e + 1', 4, [1, 1, 1, 1], 3],
    ['C', 4, [0, 0, 0, 0], 1],
  ])('%s at %d places: %j', (text, places, expected, parts) => {
    const parsed = parseFormula(text.replace('9e', '9'.repeat(400)), 3);
    if (typeof parsed === 'string') throw new Error(parsed);
    expect(evaluate(parsed, [[1, 1, 0, 4], [2, 0, 0, 2], []], places)).toEqual(expected);
    expect(countParts(parsed)).toBe(parts);
  });

  test.each([
    ['A + B * 2', 7],
    ['(A+B)*2', 8],
    ['A - B - 2', -4],
    ['-A ^ 2', -1],
    ['2 ** 3 ^ 2', 512],
    ['7 % b', 1],
    ['A / (B - 3)', 0],
    ['.5 * 2. + a', 2],
    ['--A', 1],
    ['2 * -B', -6],
  ])('%s is %d', (text, expected) => {
    expect(resultOf(text, [1, 3])).toBe(expected);
  });

  test.each([
    ['', 'not complete'],
    ['A +', 'not complete'],
    ['A B', '"B" is not expected'],
    ['(A', 'not complete'],
    ['A)', '")" is not expected'],
    ['C', 'There is no series C'],
    ['AB', 'There is no series AB'],
    ['A; drop', 'cannot be read'],
    ['A + 1'.repeat(200), 'parts'],
  ])('%s is refused: %s', (text, reason) => {
    expect(resultOf(text, [1, 3])).toContain(reason);
  });

  const leaf = fc.oneof(fc.nat(9).map(String), fc.constantFrom('A', 'B'));
  const { tree } = fc.letrec<{ tree: string }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc
        .tuple(tie('tree'), fc.constantFrom('+', '-', '*', '/', '%'), tie('tree'))
        .map(([left, sign, right]) => `${left} ${sign} ${right}`),
      tie('tree').map((inner) => `(${inner})`),
    ),
  }));

  test('they have the values of JavaScript', () => {
    fc.assert(
      fc.property(tree, fc.nat(9), fc.nat(9), (text, a, b) => {
        const expected: number = new Function('A', 'B', `return ${text}`)(a, b);
        // a division by zero within is 0 with us
        fc.pre(Number.isFinite(expected) && !/[/%] \(?[^+*-]*0|[/%]/.test(text.replace(/[/%] [1-9]/g, '')));
        expect(resultOf(text, [a, b])).toBeCloseTo(expected, 9);
      }),
    );
  });

  test('nesting of any depth does not overflow the stack', () => {
    expect(resultOf(`${'('.repeat(99)}A${')'.repeat(99)}`, [4])).toBe(4);
    expect(resultOf(`${'('.repeat(5000)}A${')'.repeat(5000)}`, [4])).toContain('parts');
  });
});
