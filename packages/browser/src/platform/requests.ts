import type { HttpAnswer, HttpRequest } from '@tidemark/client';
import { utf8Length } from '@tidemark/client';

/** Browsers refuse a `keepalive` request when the bodies of all in flight exceed 64 KiB. The rest is for requests of the page. */
const KEEPALIVE_BYTES = 60_000;
/** Bytes in flight, of all clients of the page. */
let inFlight = 0;

/** Bytes that are left for the body of another `keepalive` request. */
export const keepaliveRoom = (): number => KEEPALIVE_BYTES - inFlight;

/** Makes a request with `fetch`, without `keepalive` when the body exceeds the limit. Rejects when no complete answer came. */
export async function request(url: string, { leaving, ...given }: HttpRequest): Promise<HttpAnswer> {
  const { body = '' } = given;
  if (leaving && !('keepalive' in Request.prototype)) {
    // Such a browser (Firefox before 133) ends requests with the page. Not a Blob: Chromium may lose its bytes when the tab is closed.
    navigator.sendBeacon(url, body);
    // a beacon has no answer
    return new Promise(() => {});
  }
  const bytes = typeof body === 'string' ? utf8Length(body) : body.length;
  const taken = given.keepalive && bytes <= keepaliveRoom() ? bytes : 0;
  inFlight += taken;
  try {
    const answer = await fetch(url, { ...given, keepalive: taken > 0 });
    // the request counts for the limit until its answer has been read
    const text = await answer.text();
    return { status: answer.status, header: (name) => answer.headers.get(name), text: async () => text };
  } finally {
    inFlight -= taken;
  }
}
