/** The value as an object, or an empty one: what is stored may be anything. */
export const recordOf = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {});

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** What a list holds, or the one value. */
export const manyOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

/** A string as it is, anything else as compact JSON with sorted keys, so that their order decides nothing. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'object' ? jsonOf(value) : String(value);
}

function jsonOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jsonOf).join()}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? 'null';
  const entries = Object.keys(value).sort();
  return `{${entries.map((key) => `${JSON.stringify(key)}:${jsonOf(value[key])}`).join()}}`;
}

/** Only A to Z become small, as the operators that search in text want it. */
export const asciiLower = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** A number or text that is one; NaN otherwise. */
export const numberOf = (value: unknown): number =>
  typeof value === 'number'
    ? value
    : typeof value === 'string' && /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(value.trim())
      ? Number(value)
      : Number.NaN;

/** Whether true and false are all that is there: then truth is compared instead of text. */
export function isBooleanLike(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isBooleanLike);
  return typeof value === 'boolean' || (typeof value === 'string' && /^(true|false)$/i.test(value));
}

export function isTruthy(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isTruthy);
  return value === true || (typeof value === 'string' && value.toLowerCase() === 'true');
}
