import type { HttpAnswer, HttpRequest } from '@tidemark/client';
import { utf8Length } from '@tidemark/client';

/** Browsers refuse a `keepalive` request at once when the bodies of those in flight would exceed 64 KiB. The page may have some of its own. */
const KEEPALIVE_BYTES = 60_000;
/** Bytes in flight, of all clients of the page. */
let inFlight = 0;

/** Bytes that the body of another `keepalive` request may have now. */
export const keepaliveRoom = (): number => KEEPALIVE_BYTES - inFlight;

/** Makes a request with `fetch`: without `keepalive` where the body does not fit beside those in flight. Rejects when no whole answer came. */
export async function request(url: string, { leaving, ...given }: HttpRequest): Promise<HttpAnswer> {
  const { body = '' } = given;
  if (leaving && !('keepalive' in Request.prototype)) {
    // Such a browser (Firefox before 133) ends requests with the page. Not a Blob: Chromium may lose its bytes when the tab is closed.
    navigator.sendBeacon(url, body);
    // Nothing tells whether a beacon arrived.
    return new Promise(() => {});
  }
  const bytes = typeof body === 'string' ? utf8Length(body) : body.length;
  const taken = given.keepalive && bytes <= keepaliveRoom() ? bytes : 0;
  inFlight += taken;
  try {
    const answer = await fetch(url, { ...given, keepalive: taken > 0 });
    // browsers count the request until its answer has been read
    const text = await answer.text();
    return { status: answer.status, header: (name) => answer.headers.get(name), text: async () => text };
  } finally {
    inFlight -= taken;
  }
}
