import { decodeCookie, encodeCookie, type Store } from '@tidemark/client';

/** How cookies are written. */
export interface CookieOptions {
  /** Shares cookies with the other subdomains of the site. */
  crossSubdomain: boolean;
  secure: boolean;
  /** Days until they expire; 0: at the end of the browser's session. */
  days: number;
  /** Limit of name and value in bytes: servers refuse long headers. */
  limit: number;
}

/** Keys of one page: no later page could find their values, which would pile up. */
const OF_A_PAGE = /\.(queue|chunks)\./;

/** Cookies as a store of short texts; `set` throws when a text is too long, of one page, or cookies are off. */
export function cookies({ crossSubdomain, secure, days, limit }: CookieOptions): Store {
  const { hostname } = location;
  const labels = crossSubdomain && !/^[\d.]+$/.test(hostname) ? hostname.split('.') : [];
  // starts at the widest domain: browsers refuse a public suffix such as `co.uk`
  const scopes = labels.slice(1).map((_, more) => `; domain=${labels.slice(-2 - more).join('.')}`);
  scopes.push('');
  const attributes = `; path=/; SameSite=Lax${secure ? '; Secure' : ''}`;
  const write = (cookie: string, scope: string, age: string) => {
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API answers later, and is not everywhere
    document.cookie = cookie + attributes + scope + age;
  };
  const remove = (key: string) => {
    for (const scope of scopes) write(start(key), scope, '; max-age=-1');
  };
  return {
    get: read,
    set: (key, text) => {
      const cookie = start(key) + encodeCookie(text);
      const isSet = (scope: string) => {
        write(cookie, scope, days ? `; max-age=${days * 86_400}` : '');
        return read(key) === text;
      };
      // without the older value, which would be read as the current one
      if (cookie.length > limit || OF_A_PAGE.test(key)) remove(key);
      else if (scopes.some(isSet)) return;
      throw new Error('No cookie');
    },
    remove,
  };
}

/** A cookie up to its value. */
const start = (key: string) => `${encodeURIComponent(key)}=`;

function read(key: string): string | null {
  const cookie = document.cookie.split('; ').find((one) => one.startsWith(start(key)));
  try {
    return cookie ? decodeCookie(cookie.slice(start(key).length)) : null;
  } catch {
    // another program has set it
    return null;
  }
}
