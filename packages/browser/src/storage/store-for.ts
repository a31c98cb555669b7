import { identityCookieName, type Store } from '@tidemark/client';
import type { BrowserOptions } from '../options.js';
import { cookies } from './cookies.js';
import { memory } from './memory.js';
import { webStorage } from './web-storage.js';

/** What servers may want to know of a visitor: it goes into a cookie as well. */
const IDENTITY = /identity$/;
const LONGEST_IDENTITY = 200;
const LONGEST_COOKIE = 1_000;

/** Where values are kept, as `persistence` says, or the next best where the browser blocks that. */
export function storeFor(options: BrowserOptions): Store {
  const mode = options.cookieless_mode === 'always' ? 'memory' : (options.persistence ?? 'localStorage+cookie');
  const cookieStore = (limit: number) =>
    cookies({
      crossSubdomain: options.cross_subdomain_cookie ?? true,
      secure: options.secure_cookie ?? location.protocol === 'https:',
      days: options.cookie_expiration_days ?? 365,
      limit,
    });
  if (mode === 'memory') return memory();
  if (mode === 'sessionStorage') return webStorage(mode) ?? memory();
  const local = webStorage('localStorage');
  if (mode === 'cookie' || !local) return migrating(withFallback(cookieStore(LONGEST_COOKIE)), local);
  if (mode === 'localStorage') return migrating(local, cookieStore(LONGEST_IDENTITY));
  return withCookie(local, cookieStore(LONGEST_IDENTITY));
}

/** All in `local`, and the identity in a cookie too, which wins: another subdomain may have changed it. */
function withCookie(local: Store, cookie: Store): Store {
  const each = (key: string, act: (store: Store, key: string) => void) => {
    try {
      if (IDENTITY.test(key)) act(cookie, identityCookieName(key));
    } catch {
      // too long for the cookie, or cookies are off
    }
    act(local, key);
  };
  return {
    ...local,
    get: (key) => (IDENTITY.test(key) ? cookie.get(identityCookieName(key)) : null) ?? local.get(key),
    set: (key, text) => each(key, (store, name) => store.set(name, text)),
    remove: (key) => each(key, (store, name) => store.remove(name)),
  };
}

/** What does not fit, or is refused, lives as long as the page. */
function withFallback(store: Store): Store {
  const kept = memory();
  return {
    // another page may have stored a text that fits
    get: (key) => store.get(key) ?? kept.get(key),
    set: (key, text) => {
      try {
        store.set(key, text);
        kept.remove(key);
      } catch {
        kept.set(key, text);
        store.remove(key);
      }
    },
    remove: (key) => {
      kept.remove(key);
      store.remove(key);
    },
  };
}

/** Takes over what another mode of persistence left behind. */
function migrating(store: Store, former: Store | undefined): Store {
  return {
    ...store,
    get: (key) => {
      const text = store.get(key);
      const left = text === null ? former?.get(key) : null;
      if (typeof left !== 'string') return text;
      store.set(key, left);
      former?.remove(key);
      return left;
    },
  };
}
