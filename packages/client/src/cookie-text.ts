/** JSON is mostly marks that cookies may not hold: these stand for them, at a third of the length of `%22`. */
const CODES = ['%22', '%2C', '%7B', '%7D', '%3A'];
const MARKS = '!*()~';

/** A text as the value of a cookie, short for JSON. */
export function encodeCookie(text: string): string {
  const escaped = encodeURIComponent(text).replace(/[!*()~]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`);
  return escaped.replace(/%../g, (code) => MARKS[CODES.indexOf(code)] ?? code);
}

/** The text that `encodeCookie` was given. Throws for a value that it cannot have made. */
export function decodeCookie(value: string): string {
  return decodeURIComponent(value.replace(/[!*()~]/g, (mark) => CODES[MARKS.indexOf(mark)] ?? ''));
}
