import { decodeCookie, identityCookieName, parseIdentity, type StoredIdentity } from '@tidemark/client';
import { headerOf, type RequestHeaders } from './request-headers.js';

/** Who a request is from, by the cookie of `@tidemark/browser` and its instance of that name; undefined: it has none. */
export function identityOf(headers: RequestHeaders, apiKey: string, instance = 'default'): StoredIdentity | undefined {
  const cookies = (headerOf(headers, 'cookie') ?? '').split(/; */);
  const key = `tm.${apiKey}.${instance}.identity`;
  // where cookies are the only storage, the name of the cookie is the key
  for (const name of [identityCookieName(key), key]) {
    const start = `${encodeURIComponent(name)}=`;
    const cookie = cookies.find((one) => one.startsWith(start));
    const identity = cookie && read(cookie.slice(start.length));
    if (identity) return identity;
  }
  return undefined;
}

function read(value: string): StoredIdentity | undefined {
  try {
    return parseIdentity(JSON.parse(decodeCookie(value)));
  } catch {
    return undefined;
  }
}
