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
export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value, sorted) : String(value);

const sorted = (_: string, value: unknown) =>
  isRecord(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;

/** Only A to Z become small, as the operators that search in text want it. */
export const asciiLower = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** A number or text that is one; NaN otherwise. */
export const numberOf = (value: unknown): number =>
  typeof value === 'number' ? value : typeof value === 'string' && /^[\d.e+-]+$/i.test(value) ? Number(value) : Number.NaN;

/** Whether true and false are all that is there: then truth is compared instead of text. */
export function isBooleanLike(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isBooleanLike);
  return typeof value === 'boolean' || (typeof value === 'string' && /^(true|false)$/i.test(value));
}

export function isTruthy(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isTruthy);
  return value === true || (typeof value === 'string' && value.toLowerCase() === 'true');
}
