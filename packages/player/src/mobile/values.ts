/** Readers of untrusted recorded values. Malformed ones become undefined or empty. */
export type Fields = Readonly<Record<string, unknown>>;

const LENGTH = /^-?\d{1,6}(\.\d{1,9})?(px)?$/;
const MOST = 100_000;
const COLOR = /^(#[\da-f]{3,8}|rgba?\([\d\s.,%/]{1,40}\))$/i;
const IMAGE = /^data:image\/(png|jpe?g|webp|gif);base64,/;
/** Maximal length of a text, characters. */
const LETTERS = 10_000;

export const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

/** Reads pixels: a number, or text such as `12` or `12px`. */
export function pixelsOf(value: unknown): number | undefined {
  const pixels = typeof value === 'string' && LENGTH.test(value) ? Number.parseFloat(value) : numberOf(value);
  return pixels !== undefined && Math.abs(pixels) <= MOST ? pixels : undefined;
}

/** Reads text: a string or a number. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value.slice(0, LETTERS) : String(numberOf(value) ?? '');

export const colorOf = (value: unknown): string | undefined =>
  typeof value === 'string' && COLOR.test(value) ? value : undefined;

/** Reads one of the given words. */
export const wordOf = <Word extends string>(value: unknown, words: readonly Word[]): Word | undefined =>
  words.find((word) => word === value);

/** The data URL of an embedded image: base64, by default a PNG. */
export function imageOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const written = value.replace(/\s+/g, '');
  const [kind] = IMAGE.exec(written) ?? [''];
  const bytes = written.slice(kind.length);
  return bytes === '' || /[^A-Za-z0-9+/=]/.test(bytes) ? undefined : `${kind || 'data:image/png;base64,'}${bytes}`;
}
