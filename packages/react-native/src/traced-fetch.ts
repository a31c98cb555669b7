import { type Client, createTracing } from '@tidemark/client';

/**
 * A `fetch` that sends the ids of person and session to your own servers, so that their events belong to the same person and session. The app's
 * `fetch` is unchanged.
 * @param hosts exact names, without port or path; requests to others, and of people who opted out, are not touched
 * @example const api = tracedFetch(client, ['api.example.com']); await api('https://api.example.com/orders');
 */
export function tracedFetch(
  client: Pick<Client, 'getDistinctId' | 'getSessionId' | 'isOptedOut'>,
  hosts: readonly string[],
  next: typeof fetch = (input, init) => fetch(input, init),
): typeof fetch {
  const trace = createTracing(client, hosts, hostOf);
  return (input, init) => next(input, trace(input, init));
}

/** The host of a URL. The `URL` of many versions of React Native has no `hostname`. */
function hostOf(url: string): string | undefined {
  return /^https?:\/\/(?:[^/?#\\]*@)?([^/?#\\:@]+)/i.exec(url.trim())?.[1]?.toLowerCase();
}
