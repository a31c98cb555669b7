import { type Client, createTracing } from '@tidemark/client';

/**
 * A `fetch` that sends the ids of person and session to your own servers, so that their events belong to the same person and session. The page's `fetch` is unchanged.
 * @param hosts exact names, without port or path; requests to other hosts, and of people who have opted out, are not changed
 * @example const api = tracedFetch(client, ['api.example.com']); await api('https://api.example.com/orders');
 */
export function tracedFetch(
  client: Pick<Client, 'getDistinctId' | 'getSessionId' | 'isOptedOut'>,
  hosts: readonly string[],
  next: typeof fetch = (input, init) => fetch(input, init),
): typeof fetch {
  const trace = createTracing(client, hosts, (url) => new URL(url, location.href).hostname);
  return (input, init) => next(input, trace(input, init));
}
