import { identityCookieName, type Store } from '@tidemark/client';
import type { BrowserOptions } from '../options.js';
import { cookies } from './cookies.js';
import { memory } from './memory.js';
import { webStorage } from './web-storage.js';

/** The key of the identity, which is also stored in a cookie, for servers. */
const IDENTITY = /identity$/;
const LONGEST_IDENTITY = 200;
const LONGEST_COOKIE = 1_000;

/** The store for the option `persistence`, or the next best one where the browser blocks it. */
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

/** Stores all values in `local`, and the identity also in a cookie. The cookie wins, since another subdomain may have changed it. */
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

/** Keeps values in memory that do not fit into the store, or that it refuses. */
function withFallback(store: Store): Store {
  const fallback = memory();
  return {
    // another page may have stored a shorter text
    get: (key) => store.get(key) ?? fallback.get(key),
    set: (key, text) => {
      try {
        store.set(key, text);
        fallback.remove(key);
      } catch {
        fallback.set(key, text);
        store.remove(key);
      }
    },
    remove: (key) => {
      fallback.remove(key);
      store.remove(key);
    },
  };
}

/** Moves values that another mode of persistence has stored. */
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
