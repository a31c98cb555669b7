import { expect, test } from 'vitest';
import { flagDeclarations } from './declarations.js';

const flag = (key: string, filters: object = {}, more: object = {}) => ({ key, name: '', filters, ...more });
const line = (filters: object, more: object = {}) =>
  /payload[^\n]*/.exec(flagDeclarations([flag('one', filters, more)], 'x'))?.[0].replace(/ };$/, '');
const value = (filters: object) => /value: ([^;]*);/.exec(flagDeclarations([flag('one', filters)], 'x'))?.[1];
const variants = (...shares: number[]) => ({
  multivariate: { variants: shares.map((share, i) => ({ key: `v${i}`, rollout_percentage: share })) },
});

test('the file declares the registry of the module, by key, with the names as comments', () => {
  const flags = [
    flag('new-checkout', {}, { name: 'The checkout on\none page */' }),
    flag('button', { ...variants(50, 50), payloads: { v0: '{"color":"red"}' } }),
  ];
  expect(
    flagDeclarations(flags, '@tidemark/client'),
  ).toBe(`// Written by \`tidemark flags:types\`: run it again instead of changing this file.
import "@tidemark/client";

declare module "@tidemark/client" {
  interface FlagRegistry {
    button: { value: false | "v0" | "v1"; payload: { color: string } };
    /** The checkout on one page * / */
    "new-checkout": { value: boolean; payload: null };
  }
}
`);
  expect(flagDeclarations(flags.toReversed(), 'x')).toBe(flagDeclarations(flags, 'x'));
});

test('without flags the registry is empty, so that any key compiles', () => {
  expect(flagDeclarations([], 'x')).toContain('interface FlagRegistry {}');
});

test('values are false or a variant, and true if the variants do not sum to 100 %', () => {
  expect(value({})).toBe('boolean');
  expect(value(variants())).toBe('boolean');
  expect(value(variants(40, 60))).toBe('false | "v0" | "v1"');
  expect(value(variants(40, 50))).toBe('boolean | "v0" | "v1"');
  expect(value({ ...variants(100), holdout: { id: 7, exclusion_percentage: 10 } })).toBe('false | "v0" | "holdout-7"');
});

test.each([
  [{}, 'null'],
  [{ true: '{"a":1,"b-c":"x","d":null}' }, '{ a: number; "b-c": string; d: null }'],
  [{ v0: '{"a":1}', v1: '{"a":"x","b":true}' }, '{ a: number | string; b?: boolean }'],
  [{ v0: '[1,2]', v1: '["x",{"y":1}]' }, '(number | string | { y: number })[]'],
  [{ true: '[]' }, 'unknown[]'],
  [{ true: '{}' }, 'Record<string, never>'],
  [{ true: 'not JSON' }, 'string'],
  [{ true: '"text"' }, 'string'],
  [{ true: '' }, 'null'],
])('payloads %j have the type %s', (payloads, type) => {
  expect(line({ payloads })).toBe(`payload: ${type}`);
});

test('secret payloads have no type', () => {
  expect(line({ payloads: { true: '{"secret":1}' } }, { has_encrypted_payloads: true })).toBe('payload: unknown');
});

test('malformed filters are boolean flags', () => {
  for (const filters of [null, 'x', [], { multivariate: { variants: [null, 5, {}] }, payloads: [] }]) {
    expect(flagDeclarations([{ key: 'odd', filters }], 'x')).toContain('odd: { value: boolean; payload: null };');
  }
});
