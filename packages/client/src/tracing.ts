import type { Client } from './client.js';
import { isRecord } from './is-record.js';

declare const Headers: new (init?: unknown) => { set(name: string, value: string): void };

/**
 * Creates a function that adds the distinct id and the session id to the headers of a request. It takes the arguments of `fetch` and returns the
 * second one: with the headers when the request goes to one of the hosts and the person has not opted out, unchanged otherwise and on any error.
 * @param hosts exact names, without port or path
 * @param hostOf the lower-case name of the host of an address; may throw
 */
export function createTracing(
  client: Pick<Client, 'getDistinctId' | 'getSessionId' | 'isOptedOut'>,
  hosts: readonly string[],
  hostOf: (url: string) => string | undefined,
): <Init extends object>(input: unknown, init?: Init) => Init | undefined {
  const wanted = new Set<string | undefined>(hosts.map((host) => host.trim().toLowerCase()));
  return (input, init) => {
    try {
      const request = isRecord(input) && typeof input.url === 'string' ? input : {};
      if (!wanted.has(hostOf(String(request.url ?? input))) || client.isOptedOut()) return init;
      const headers = new Headers((isRecord(init) && init.headers) || request.headers);
      // the header names of PostHog, which server libraries already read
      headers.set('X-POSTHOG-DISTINCT-ID', client.getDistinctId());
      headers.set('X-POSTHOG-SESSION-ID', client.getSessionId());
      return Object.assign({}, init, { headers });
    } catch {
      // the request is more important than its headers
      return init;
    }
  };
}
