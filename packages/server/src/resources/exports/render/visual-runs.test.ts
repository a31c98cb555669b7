import fc from 'fast-check';
import { expect, test } from 'vitest';
import { visualRuns } from './visual-runs.js';

const left = (text: string) => ({ text, isRightToLeft: false });
const right = (text: string) => ({ text, isRightToLeft: true });

test.each([
  ['plain (text) 50%', [left('plain (text) 50%')]],
  ['', []],
  ['Sales: עברית of today', [left('Sales: '), right('עברית'), left(' of today')]],
  ['لوحة المبيعات', [right('لوحة المبيعات')]],
  // UAX 9, rule W2: after an Arabic letter, digits are Arabic numbers, which a percent sign does not belong to
  ['تقرير: 50% من abc', [right('% من'), left('50'), right('تقرير: '), left(' abc')]],
  ['דוח: 50% של abc', [right(' של'), left('50%'), right('דוח: '), left(' abc')]],
  ['אב 1,234.5 - 7 גד', [right(' גד'), left('7'), left(' - '), left('1,234.5'), right('אב ')]],
  ['אב (גד) x', [right('אב )גד('), left(' x')]],
  ['x (אב) y', [left('x ('), right('אב'), left(') y')]],
])('%s stands as %j', (line, runs) => {
  expect(visualRuns(line)).toEqual(runs);
});

test('no character is lost, and text without right-to-left letters stays one run', () => {
  const sign = fc.constantFrom(...'ab1 2.%-אבגعرب');
  fc.assert(
    fc.property(fc.array(sign, { maxLength: 30 }), (signs) => {
      const runs = visualRuns(signs.join(''));
      const again = [...runs.map(({ text }) => text).join('')].sort();
      expect(again).toEqual([...signs].sort());
      if (!signs.some((one) => one >= '\u0590')) expect(runs.length).toBeLessThanOrEqual(1);
    }),
  );
});
