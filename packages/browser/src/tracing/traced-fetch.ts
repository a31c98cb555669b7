import type { Client } from '@tidemark/client';

/**
 * A `fetch` that tells your own servers who asks, so that what they capture belongs to the same person and session. The page's `fetch` stays as it is.
 * @param hosts exact names, without port or path; requests to others, and of people who opted out, are not touched
 * @example const api = tracedFetch(client, ['api.example.com']); await api('https://api.example.com/orders');
 */
export function tracedFetch(
  client: Pick<Client, 'getDistinctId' | 'getSessionId' | 'isOptedOut'>,
  hosts: readonly string[],
  next: typeof fetch = (input, init) => fetch(input, init),
): typeof fetch {
  const wanted = new Set(hosts.map((host) => host.trim().toLowerCase()));
  return (input, init) => {
    let traced = init;
    try {
      const url = new URL(input instanceof Request ? input.url : input, location.href);
      if (wanted.has(url.hostname) && !client.isOptedOut()) {
        const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
        // the names that servers in use understand
        headers.set('X-POSTHOG-DISTINCT-ID', client.getDistinctId());
        headers.set('X-POSTHOG-SESSION-ID', client.getSessionId());
        traced = { ...init, headers };
      }
    } catch {
      // the request is more important than its headers
    }
    return next(input, traced);
  };
}
