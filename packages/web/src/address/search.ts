/** The search part of an address as it is read and written: texts, or lists of them for names that repeat. */
export type SearchTexts = Record<string, string | string[]>;

/** Reads `?a=1&b=2&b=3` into `{ a: '1', b: ['2', '3'] }`. Values stay texts: each screen says what they mean. */
export function parseSearch(search: string): SearchTexts {
  // a map, because a name may be that of a property of every object
  const texts = new Map<string, string | string[]>();
  for (const [name, value] of new URLSearchParams(search)) {
    const before = texts.get(name);
    texts.set(name, before === undefined ? value : [before, value].flat());
  }
  return Object.fromEntries(texts);
}

/** Characters that stay readable in the search part of an address: RFC 3986 allows them there, and chat programs do not cut at them. */
const READABLE: Record<string, string> = { '%2C': ',', '%3A': ':', '%24': '$', '%2F': '/', '%40': '@', '%20': '+' };

const encode = (text: string): string =>
  encodeURIComponent(text).replace(/%(2C|3A|24|2F|40|20)/g, (code) => READABLE[code] ?? code);

/** Writes what `parseSearch` reads. Absent and empty values are left out. */
export function stringifySearch(search: Record<string, unknown>): string {
  const parts = Object.entries(search).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter((one) => one !== undefined && one !== null && one !== '' && one !== false)
      .map((one) => `${encode(name)}=${encode(String(one))}`),
  );
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}
