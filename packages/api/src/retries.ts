export interface RetryOptions {
  /** Further attempts of a request that was refused for the moment or had no response. Default: 3. */
  retries?: number;
  /** Longest wait before an attempt, in milliseconds; a longer `Retry-After` ends the attempts. Default: 30,000. */
  maxRetryWaitMs?: number;
  /** Waits between attempts. Default: a timer. */
  wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

type Fetch = (request: Request) => Promise<Response>;

/** Status of the response that stands for "no response": the connection failed or was cut. */
export const NO_RESPONSE = 599;

/** Methods that may be repeated when nobody knows whether the first attempt took effect (RFC 9110, 9.2.2). */
const IDEMPOTENT = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']);

/**
 * Wraps `fetch` so that it retries, and answers a failed connection by a response of status 599 with the API's shape of an error.
 * It rejects only with the reason of an aborted `signal`.
 */
export function fetchWithRetries(
  fetch: Fetch,
  { retries = 3, maxRetryWaitMs = 30_000, wait = waitByTimer }: RetryOptions = {},
): Fetch {
  return async (request) => {
    for (let attempt = 0; ; attempt++) {
      const isLast = attempt >= retries;
      // a body is read once: each attempt but the last sends a copy
      const response = await attemptFetch(fetch, isLast ? request : request.clone());
      const ms = isLast ? null : retryWait(request, response, attempt);
      if (ms === null || ms > maxRetryWaitMs) return response;
      await response.body?.cancel();
      await wait(ms, request.signal);
    }
  };
}

async function attemptFetch(fetch: Fetch, request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch (error) {
    if (request.signal.aborted) throw error;
    const detail = `${new URL(request.url).origin} does not respond.`;
    return Response.json({ type: 'network_error', code: 'no_response', detail, attr: null }, { status: NO_RESPONSE });
  }
}

/** @returns milliseconds until the next attempt; null: the response is final */
function retryWait(request: Request, { status, headers }: Response, attempt: number): number | null {
  const backOff = 250 * 2 ** attempt;
  if (status === NO_RESPONSE) return IDEMPOTENT.has(request.method) ? backOff : null;
  if (status !== 503 && status !== 429) return null;
  return readRetryAfter(headers.get('retry-after')) ?? (status === 503 ? backOff : null);
}

/** Reads a `Retry-After` header, seconds or a date (RFC 9110, 10.2.3). @returns milliseconds; null: absent or malformed */
function readRetryAfter(header: string | null): number | null {
  if (header === null) return null;
  const seconds = Number(header);
  const ms = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}

function waitByTimer(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
  });
}
