import type { Client } from './client.js';
import { isRecord } from './is-record.js';

declare const Headers: new (init?: unknown) => { set(name: string, value: string): void };

/**
 * Makes what adds headers to requests to your own servers that tell them who asks: the second argument of `fetch`, with those headers
 * when the request (the first argument) goes to one of the hosts and the person has not opted out. In all other cases, and on any
 * error, it comes back as it is.
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
      // the names that servers in use understand
      headers.set('X-POSTHOG-DISTINCT-ID', client.getDistinctId());
      headers.set('X-POSTHOG-SESSION-ID', client.getSessionId());
      return Object.assign({}, init, { headers });
    } catch {
      // the request is more important than its headers
      return init;
    }
  };
}
