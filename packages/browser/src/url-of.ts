/** Parses an absolute address; undefined when it is none. `URL.canParse` is missing in browsers of the supported range. */
export function urlOf(text: string): URL | undefined {
  // parsing an empty text throws, which takes longer than parsing an address
  if (!text) return undefined;
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
