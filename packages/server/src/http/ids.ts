/** The id that a path segment stands for (PostgreSQL's `integer`), or null: then there is no such object. */
export function objectId(segment: string | undefined): number | null {
  const id = /^\d{1,10}$/.test(segment ?? '') ? Number(segment) : Number.NaN;
  return id <= 2_147_483_647 ? id : null;
}

/** Whether a path segment is a UUID, dashed or not, so that it may be compared with a uuid column. */
export const isUuid = (segment: string): boolean => /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i.test(segment);

const DASHED = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const PLAIN = /^[0-9a-f]{32}$/;

/** The UUID dashed and lower-case, or null when the text is none. */
export function parseUuid(text: string): string | null {
  if (DASHED.test(text)) return text;
  const hex = text.toLowerCase();
  if (DASHED.test(hex)) return hex;
  if (!PLAIN.test(hex)) return null;
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
