/** Options of the client from the `data-` attributes of its script: `data-capture-pageview="false"` is `{ capture_pageview: false }`. */
export function optionsOf(data: Readonly<Record<string, string | undefined>>): Record<string, unknown> {
  const named = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(Object.entries(data).map(([name, text = '']) => [named(name), optionValue(text)]));
}

/** An attribute without a value is true, as in HTML; a value that is not JSON is a string. */
function optionValue(text: string): unknown {
  try {
    return text === '' || JSON.parse(text);
  } catch {
    return text;
  }
}

/** The host of the service for the URL of its script: the part before `/static/`, or the origin. Empty for an inline script. */
export function serviceOf(source: string): string {
  if (!source) return '';
  const { origin, pathname } = new URL(source);
  return origin + (/^(.*)\/static\/[^/]*$/.exec(pathname)?.[1] ?? '');
}
