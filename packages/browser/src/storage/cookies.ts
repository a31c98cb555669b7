import { decodeCookie, encodeCookie, type Store } from '@tidemark/client';

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

/** Cookies as a store of short texts; `set` throws when a text is too long or cookies are off. */
export function cookies({ crossSubdomain, secure, days, limit }: CookieOptions): Store {
  const { hostname } = location;
  const labels = crossSubdomain && !/^[\d.]+$/.test(hostname) ? hostname.split('.') : [];
  // from the widest domain on, which browsers refuse where it is a public suffix such as `co.uk`
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
      const kept = (scope: string) => {
        write(cookie, scope, days ? `; max-age=${days * 86_400}` : '');
        return read(key) === text;
      };
      // an older value must not stay as if it were the newest
      if (cookie.length > limit) remove(key);
      else if (scopes.some(kept)) return;
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
    // somebody else's
    return null;
  }
}
