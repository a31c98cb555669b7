import type { RequestContext } from './request-context.js';

/** Headers of a request: a `Headers` object, or Node's record. */
export type RequestHeaders =
  | { get(name: string): string | null | undefined }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

const LONGEST = 1_000;

/** One header by its lower-case name; undefined: absent or empty. */
export function headerOf(headers: RequestHeaders, name: string): string | undefined {
  const value = isGetter(headers)
    ? headers.get(name)
    : (headers[name] ?? Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]);
  return (typeof value === 'string' ? value : value?.[0]) || undefined;
}

const isGetter = (headers: RequestHeaders): headers is { get(name: string): string | null | undefined } =>
  typeof headers.get === 'function';

/** The values of the tracing headers that `tracedFetch`, and SDKs of PostHog, send. */
export function contextOf(headers: RequestHeaders): RequestContext {
  const read = (what: string) =>
    cleaned(headerOf(headers, `x-tidemark-${what}`)) ?? cleaned(headerOf(headers, `x-posthog-${what}`));
  const distinctId = read('distinct-id');
  const sessionId = read('session-id');
  return { ...(distinctId ? { distinctId } : {}), ...(sessionId ? { sessionId } : {}) };
}

/** Anybody may send anything: no control characters, no endless text. */
function cleaned(value: string | undefined): string | undefined {
  return (
    value
      ?.replaceAll(/\p{Cc}/gu, '')
      .trim()
      .slice(0, LONGEST) || undefined
  );
}
