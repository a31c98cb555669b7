/** The id that a path segment stands for (PostgreSQL's `integer`), or null: then there is no such object. */
export function objectId(segment: string | undefined): number | null {
  const id = /^\d{1,10}$/.test(segment ?? '') ? Number(segment) : Number.NaN;
  return id <= 2_147_483_647 ? id : null;
}

const DASHED = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const PLAIN = /^[0-9a-f]{32}$/;

/** Whether a path segment is a UUID, dashed or not, so that it may be compared with a uuid column. */
export const isUuid = (segment: string): boolean => /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i.test(segment);

/** Whether a text is a UUID with its dashes, in any case: the form in which clients make them. */
export const isDashedUuid = (text: string): boolean => DASHED.test(text.toLowerCase());

/** The UUID dashed and lower-case, or null when the text is none. */
export function parseUuid(text: string): string | null {
  // the usual spelling needs no copy
  if (DASHED.test(text)) return text;
  const lower = text.toLowerCase();
  if (DASHED.test(lower)) return lower;
  return PLAIN.test(lower) ? uuidOfHex(lower) : null;
}

/** The UUID of 32 hexadecimal digits. */
export const uuidOfHex = (hex: string): string =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
