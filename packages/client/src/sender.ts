import type { HttpAnswer, HttpRequest, Platform, PlatformAbortSignal } from './platform.js';
import type { Delivery } from './queue.js';

declare const AbortController: new () => { signal: PlatformAbortSignal; abort(): void };

export interface SendSettings {
  headers?: Record<string, string> | undefined;
  compress?: boolean;
  /** Timeout in milliseconds. */
  timeoutMs?: number | undefined;
  /** Headers that declare the compression. Default: the query declares it, since browsers send a CORS preflight for such headers. */
  zippedHeaders?: Record<string, string>;
  /** Sends before this function returns, and so uncompressed: the page may end at any moment. */
  leaving?: boolean | undefined;
}

type Sending = Pick<Platform, 'fetch' | 'gzip' | 'timers'>;

/**
 * POSTs JSON text. The content type is `text/plain`, compressed or not, since browsers send that without a CORS preflight. Rejects on a timeout or when
 * no answer came.
 */
export async function send(
  platform: Sending,
  url: string,
  json: string | undefined,
  { headers: extraHeaders, compress, timeoutMs, zippedHeaders, leaving }: SendSettings = {},
): Promise<HttpAnswer> {
  const headers: Record<string, string> = { ...extraHeaders };
  const request: HttpRequest = { method: json === undefined ? 'GET' : 'POST', headers };
  if (json !== undefined) {
    headers['content-type'] = 'text/plain';
    const zipped = compress && !leaving && json.length > 1024 ? await platform.gzip?.(json).catch(() => undefined) : undefined;
    request.body = zipped ?? json;
    request.keepalive = true;
    if (leaving) request.leaving = true;
    if (zipped && zippedHeaders) Object.assign(headers, zippedHeaders);
    else if (zipped) url += `${url.includes('?') ? '&' : '?'}compression=gzip-js`;
  }
  if (!timeoutMs) return platform.fetch(url, request);
  const abort = new AbortController();
  let timer: unknown;
  const late = new Promise<never>((_, reject) => {
    timer = platform.timers.set(() => {
      abort.abort();
      reject(new Error('timeout'));
    }, timeoutMs);
  });
  return Promise.race([platform.fetch(url, { ...request, signal: abort.signal }), late]).finally(() =>
    platform.timers.clear(timer),
  );
}

/** The body of a batch. The events are JSON texts. */
export function batchJson(apiKey: string, events: readonly string[], sentAt: string): string {
  return `{"api_key":${JSON.stringify(apiKey)},"batch":[${events.join(',')}],"sent_at":"${sentAt}"}`;
}

/** Maps an answer of the capture routes to the result of the batch. */
export async function deliveryOf(answer: HttpAnswer, now: number): Promise<Delivery> {
  const { status } = answer;
  if (status >= 200 && status < 300) {
    const body = await answer.text().catch(() => '');
    // At a wrong address another application may answer 200 with its page; so does the login page of a network.
    // Over the project's quota the server answers 200 with `quota_limited`.
    return { outcome: /^\s*</.test(body) ? 'retry' : 'done', waitMs: /"quota_limited":[^\]]*"events"/.test(body) ? 60_000 : 0 };
  }
  if (status === 413) return { outcome: 'too_large' };
  if (status !== 408 && status !== 429 && status < 500) return { outcome: 'refused' };
  return { outcome: 'retry', waitMs: retryAfter(answer.header('retry-after'), now) };
}

/** Milliseconds of a `Retry-After` header, which is seconds or a date. */
function retryAfter(header: string | null, now: number): number {
  return Math.max(0, Number(header) * 1000 || Date.parse(header ?? '') - now || 0);
}
