/** A variant in a list of them. `id` is the editor's own, so that a renamed variant stays itself. */
export interface VariantShare {
  id: number;
  key: string;
  /** 0 to 100; those of all variants add up to 100. */
  percentage: number;
}

/** Keys that new variants get, in order. */
const KEYS = ['control', 'test', ...'abcdefgh'];

/** Sums that differ from 100 by less are taken: three thirds of 33.33 make 99.99. */
const ROUNDING = 0.05;

/** The first usual key that no variant has. */
export const nextVariantKey = (variants: readonly VariantShare[]): string =>
  KEYS.find((one) => variants.every(({ key }) => key !== one)) ?? '';

/** Variants with percentages that are as equal as whole numbers can be: 34, 33, 33. */
export const splitEvenly = <Variant extends VariantShare>(variants: readonly Variant[]): Variant[] =>
  variants.map((one, index) => ({
    ...one,
    percentage: Math.floor(100 / variants.length) + (index < 100 % variants.length ? 1 : 0),
  }));

/** What is wrong with the percentages of all variants together; null: nothing. */
export function sumFault(variants: readonly VariantShare[]): string | null {
  const sum = Number(variants.reduce((total, { percentage }) => total + percentage, 0).toFixed(2));
  return Math.abs(sum - 100) <= ROUNDING ? null : `Sums to ${sum}%, and must sum to 100%`;
}
