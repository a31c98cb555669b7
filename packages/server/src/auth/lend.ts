import type { Deps } from '../deps.js';
import type { RequestContext } from '../http/route.js';
import type { Principal } from './context.js';

const SCHEME = 'Lent ';

/** Who may be spoken for by requests inside this process, by the secret that only such a request knows. */
const lent = new WeakMap<Deps, Map<string, Principal>>();

/** Lets requests inside this process ask as somebody, by the `authorization` header that `work` is given, until it ends. */
export async function asPrincipal<T>(deps: Deps, principal: Principal, work: (authorization: string) => Promise<T>): Promise<T> {
  const principals = lent.get(deps) ?? new Map<string, Principal>();
  lent.set(deps, principals);
  const secret = deps.ids.token(32);
  principals.set(secret, principal);
  try {
    return await work(SCHEME + secret);
  } finally {
    principals.delete(secret);
  }
}

/** Whom a request inside this process speaks for. */
export function lentPrincipal({ deps, request }: RequestContext): Principal | null {
  const { authorization = '' } = request.headers;
  if (!authorization.startsWith(SCHEME)) return null;
  return lent.get(deps)?.get(authorization.slice(SCHEME.length)) ?? null;
}
