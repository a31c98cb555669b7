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
