import createOpenApiClient, { type Client } from 'openapi-fetch';
import { fetchWithRetries, type RetryOptions } from './retries.js';
import type { paths } from './schema.gen.js';

export interface ApiClientOptions extends RetryOptions {
  /** Address of the service, such as `https://tidemark.example.com`. Default: the origin of the page. */
  host?: string;
  /** Personal API key, `phx_…`. Without one, a browser sends the cookie of the person who is logged in at `host`. */
  personalApiKey?: string;
  /** Replaces the global `fetch`. */
  fetch?: (request: Request) => Promise<Response>;
}

/** `GET`, `POST`, `PATCH`, `PUT` and `DELETE` for each path of the REST API, typed by openapi.json. */
export type ApiClient = Client<paths>;

/**
 * Creates a client of the REST API. Each method resolves with `{ data, response }` or `{ error, response }` and never rejects, except with
 * the `AbortError` of a `signal`. A request without a response has an error as well: status 599 and the code `no_response`.
 *
 * 503 and 429 are retried after the time that `Retry-After` names, and requests without a response when they are safe to repeat.
 *
 * @example
 * const api = createApiClient({ host: 'https://tidemark.example.com', personalApiKey: process.env.TIDEMARK_KEY });
 * const { data, error } = await api.GET('/api/environments/{project_id}/insights/', { params: { path: { project_id: '@current' } } });
 */
export function createApiClient({ host = '', personalApiKey, fetch, ...retry }: ApiClientOptions = {}): ApiClient {
  return createOpenApiClient<paths>({
    baseUrl: host,
    fetch: fetchWithRetries(fetch ?? ((request) => globalThis.fetch(request)), retry),
    ...(personalApiKey === undefined ? {} : { headers: { authorization: `Bearer ${personalApiKey}` } }),
  });
}
