/** Characters that JSON is full of and cookies may not contain, percent-encoded. Each is written as the mark at its place, a third as long. */
const CODES = ['%22', '%2C', '%7B', '%7D', '%3A'];
const MARKS = '!*()~';

/**
 * The name of the cookie for a key of the store. Of the project's key only the end is in it, since servers limit the length of all cookies together.
 * @example identityCookieName('tm.tmk_0123456789abcdef.shop.identity') // 'tm_89abcdef.shop.identity'
 */
export function identityCookieName(key: string): string {
  return key.replace(/^tm\.[^.]*?([^.]{0,8})\.(default\.)?/, 'tm_$1.');
}

/** A text as the value of a cookie, short for JSON. */
export function encodeCookie(text: string): string {
  const escaped = encodeURIComponent(text).replace(/[!*()~]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`);
  return escaped.replace(/%../g, (code) => MARKS[CODES.indexOf(code)] ?? code);
}

/** The text that `encodeCookie` was given. Throws for a value that it cannot have made. */
export function decodeCookie(value: string): string {
  return decodeURIComponent(value.replace(/[!*()~]/g, (mark) => CODES[MARKS.indexOf(mark)] ?? ''));
}
