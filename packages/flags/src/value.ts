/** The value as an object, or an empty one: what is stored may be anything. */
export const recordOf = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {});

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What the object itself has by that name, not what all objects inherit. */
export const own = (record: Readonly<Record<string, unknown>>, key: string): unknown =>
  Object.hasOwn(record, key) ? record[key] : undefined;

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** What a list holds, or the one value. */
export const manyOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

/** A string as it is, anything else as compact JSON with sorted keys, so that their order decides nothing. */
export const textOf = (value: unknown): string => {
  if (typeof value === 'string') return value;
  // servers write 1e+21 without the plus
  return typeof value === 'object' ? JSON.stringify(value, sorted) : String(value).replace('+', '');
};

const sorted = (_: string, value: unknown) => (isRecord(value) ? Object.fromEntries(Object.entries(value).sort()) : value);

/** Only A to Z become small, as the operators that search in text want it. */
export const asciiLower = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** A number or text that is one, finite and without spaces; NaN otherwise. */
export function numberOf(value: unknown): number {
  const number = typeof value === 'string' && /^[\d.e+-]+$/i.test(value) ? Number(value) : value;
  return Number.isFinite(number) ? Number(number) : Number.NaN;
}

/** Whether true and false are all that is there: then truth is compared instead of text. */
export const isBooleanLike = (value: unknown): boolean => manyOf(value).every((one) => /^(true|false)$/i.test(textOf(one)));

export function isTruthy(value: unknown): boolean {
  return Array.isArray(value) ? value.every(isTruthy) : /^true$/i.test(textOf(value));
}
