/** Parses an absolute address; undefined when it is none. `URL.canParse` is missing in browsers of the supported range. */
export function urlOf(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
