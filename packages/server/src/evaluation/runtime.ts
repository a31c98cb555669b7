import type { IncomingHttpHeaders } from 'node:http';

/** Programs on servers, by how they call themselves: SDKs, and the HTTP clients of languages. */
const SERVER =
  /^posthog-(node|python|ruby|php|java|go|elixir|rust|server|dotnet)|^tidemark-node|^(python-requests|python-httpx|python-urllib3|go-http-client|node-fetch|undici|axios|got |ruby|guzzle|okhttp-server|curl|wget|elixir)/i;
/** Programs in the hands of people. */
const CLIENT = /^mozilla\/|^posthog-(js|react-native|ios|android|flutter)|^tidemark-(browser|react-native)/i;

/** Where a client runs, by its headers; null: they do not tell. */
export function runtimeOf(headers: IncomingHttpHeaders): 'client' | 'server' | null {
  const agent = headers['user-agent'] ?? '';
  if (SERVER.test(agent)) return 'server';
  const isBrowser = headers.origin ?? headers.referer ?? headers['sec-fetch-mode'] ?? headers['sec-fetch-site'];
  return isBrowser !== undefined || CLIENT.test(agent) ? 'client' : null;
}
