import type { IncomingHttpHeaders } from 'node:http';

/** User agents of servers: SDKs, and HTTP clients of programming languages. */
const SERVER =
  /^posthog-(node|python|ruby|php|java|go|elixir|rust|server|dotnet)|^tidemark-node|^(python-requests|python-httpx|python-urllib3|go-http-client|node-fetch|undici|axios|got |ruby|guzzle|okhttp-server|curl|wget|elixir)/i;
/** User agents of browsers and apps. */
const CLIENT = /^mozilla\/|^posthog-(js|react-native|ios|android|flutter)|^tidemark-(browser|react-native)/i;

/** The runtime of a client, by its headers; null: unknown. */
export function runtimeOf(headers: IncomingHttpHeaders): 'client' | 'server' | null {
  const agent = headers['user-agent'] ?? '';
  if (SERVER.test(agent)) return 'server';
  const isBrowser = headers.origin ?? headers.referer ?? headers['sec-fetch-mode'] ?? headers['sec-fetch-site'];
  return isBrowser !== undefined || CLIENT.test(agent) ? 'client' : null;
}
