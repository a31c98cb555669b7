/** The value as an object, or an empty object: stored JSON may be anything. */
export const recordOf = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {});

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An own property of an object, never an inherited one such as `constructor`. */
export const own = (record: Readonly<Record<string, unknown>>, key: string): unknown =>
  Object.hasOwn(record, key) ? record[key] : undefined;

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The items of a list; any other value counts as a list of one. */
export const manyOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

/** A string unchanged, anything else as compact JSON with sorted keys, so that key order never matters. */
export const textOf = (value: unknown): string => {
  if (typeof value === 'string') return value;
  // the servers' JSON writes 1e21, JavaScript 1e+21
  return typeof value === 'object' ? JSON.stringify(value, sorted) : String(value).replace('+', '');
};

const sorted = (_: string, value: unknown) => (isRecord(value) ? Object.fromEntries(Object.entries(value).sort()) : value);

/** Lower-cases A to Z only, which is how the text operators compare. */
export const asciiLower = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** Reads a finite number, or text that is one without spaces; NaN otherwise. */
export function numberOf(value: unknown): number {
  const number = typeof value === 'string' && /^[\d.e+-]+$/i.test(value) ? Number(value) : value;
  return Number.isFinite(number) ? Number(number) : Number.NaN;
}

/** Whether all values are true or false; then truth is compared instead of text. */
export const isBooleanLike = (value: unknown): boolean => manyOf(value).every((one) => /^(true|false)$/i.test(textOf(one)));

export function isTruthy(value: unknown): boolean {
  return Array.isArray(value) ? value.every(isTruthy) : /^true$/i.test(textOf(value));
}
