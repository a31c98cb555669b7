import type { Store } from '@tidemark/client';

/** How cookies are written. */
export interface CookieOptions {
  /** Share them with the other subdomains of the site. */
  crossSubdomain: boolean;
  secure: boolean;
  /** Days until they expire; 0: with the browser's session. */
  days: number;
  /** Bytes of the longest cookie, name and all: servers refuse long headers. */
  limit: number;
}

/** JSON is mostly marks that cookies may not hold: these stand for them, at a third of the length of `%22`. */
const CODES = ['%22', '%2C', '%7B', '%7D', '%3A'];
const MARKS = '!*()~';

/** Cookies as a store of short texts; `set` throws when a text is too long or cookies are off. */
export function cookies({ crossSubdomain, secure, days, limit }: CookieOptions): Store {
  const domain = crossSubdomain ? siteDomain() : '';
  const attributes = `; path=/; SameSite=Lax${domain && `; domain=${domain}`}${secure ? '; Secure' : ''}`;
  const write = (key: string, value: string, age: string) => {
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API answers later, and is not everywhere
    document.cookie = `${encodeURIComponent(key)}=${value}${attributes}${age}`;
  };
  const remove = (key: string) => write(key, '', '; max-age=-1');
  return {
    get: read,
    set: (key, text) => {
      const value = encode(text);
      // an older value must not stay as if it were the newest
      if (encodeURIComponent(key).length + 1 + value.length > limit) remove(key);
      else write(key, value, days ? `; max-age=${days * 86_400}` : '');
      if (read(key) !== text) throw new Error('No cookie');
    },
    remove,
  };
}

function encode(text: string): string {
  const escaped = encodeURIComponent(text).replace(/[!*()~]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`);
  return escaped.replace(/%../g, (code) => MARKS[CODES.indexOf(code)] ?? code);
}

function decode(value: string): string {
  return decodeURIComponent(value.replace(/[!*()~]/g, (mark) => CODES[MARKS.indexOf(mark)] ?? ''));
}

function read(key: string): string | null {
  const start = `${encodeURIComponent(key)}=`;
  const cookie = document.cookie.split('; ').find((one) => one.startsWith(start));
  try {
    return cookie ? decode(cookie.slice(start.length)) : null;
  } catch {
    // somebody else's
    return null;
  }
}

/** The widest domain that browsers accept a cookie for, found by trying: they refuse public suffixes such as `co.uk`. */
function siteDomain(): string {
  const labels = location.hostname.split('.');
  if (/^[\d.]+$|:/.test(location.hostname)) return '';
  for (let count = 2; count <= labels.length; count++) {
    const domain = labels.slice(-count).join('.');
    const attempt = `tm_try=1; path=/; domain=${domain}`;
    // biome-ignore lint/suspicious/noDocumentCookie: as above
    document.cookie = attempt;
    const accepted = read('tm_try') === '1';
    // biome-ignore lint/suspicious/noDocumentCookie: as above
    document.cookie = `${attempt}; max-age=-1`;
    if (accepted) return domain;
  }
  return '';
}
