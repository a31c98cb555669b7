import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { type ClientRequest, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Scheduler } from '../../ports/system.js';

/** Milliseconds that a webhook has, from the name to the end of its response. */
export const WEBHOOK_TIMEOUT_MS = 10_000;
/** Bytes of a response that are read; only its status matters. */
const MAX_RESPONSE = 16 * 1024;

/** A webhook did not take the news. The message is one sentence for who made the alert. */
export class WebhookError extends Error {
  override name = 'WebhookError';
}

const PRIVATE = 'is in a private network. The setting TIDEMARK_PRIVATE_WEBHOOKS of the service allows such addresses.';

/** Whether an IP address is one of the public internet: not private, loopback, link-local, multicast or a form of these in IPv6. */
function isPublic(address: string): boolean {
  // without its zone
  const [bare = ''] = address.split('%');
  // an IPv4 address that is written as one of IPv6 is what it stands for
  return ipaddr.isValid(bare) && ipaddr.process(bare).range() === 'unicast';
}

/** Why a webhook cannot be called, as far as its address says; null: it can. Names are resolved, and refused, when it is called. */
export function refuseAddress(url: string, allowsPrivate: boolean): string | null {
  const host = hostOf(new URL(url));
  if (allowsPrivate || isIP(host) === 0 || isPublic(host)) return null;
  return `The address ${host} ${PRIVATE}`;
}

const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');

/**
 * Resolves names to public addresses only. The connection is made to the addresses that were checked, so that a name which resolves to
 * another address a moment later leads nowhere else.
 */
const lookupPublic: LookupFunction = (hostname, options, callback) => {
  const all: LookupOptions & { all: true } = { ...options, all: true };
  lookup(hostname, all, (error, addresses: LookupAddress[]) => {
    const [first] = error ? [] : addresses;
    if (error || !first) return callback(error ?? new WebhookError(`The name ${hostname} has no address.`), []);
    if (addresses.some(({ address }) => !isPublic(address))) {
      return callback(new WebhookError(`The address of ${hostname} ${PRIVATE}`), []);
    }
    if (options.all) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
};

interface SendOptions {
  scheduler: Pick<Scheduler, 'after'>;
  /** Whether private addresses are allowed. */
  allowsPrivate: boolean;
  signal: AbortSignal;
}

/**
 * Sends JSON by POST. Redirects are not followed: they could lead anywhere.
 * @throws WebhookError the response is none of 2xx, late, or there is none
 */
export async function sendWebhook(url: string, body: object, { scheduler, allowsPrivate, signal }: SendOptions): Promise<void> {
  const target = new URL(url);
  const refusal = refuseAddress(url, allowsPrivate);
  if (refusal !== null) throw new WebhookError(refusal);
  const late = new AbortController();
  const cancel = scheduler.after(WEBHOOK_TIMEOUT_MS, () =>
    late.abort(new WebhookError(`The webhook did not answer within ${WEBHOOK_TIMEOUT_MS / 1_000} seconds.`)),
  );
  try {
    const status = await post(target, JSON.stringify(body), allowsPrivate, AbortSignal.any([late.signal, signal]));
    if (status >= 300 && status < 400) {
      throw new WebhookError(`The webhook answered with a redirect (status ${status}), which is not followed.`);
    }
    if (status < 200 || status >= 300) throw new WebhookError(`The webhook answered with status ${status}.`);
  } catch (error) {
    if (late.signal.aborted) throw late.signal.reason;
    signal.throwIfAborted();
    if (error instanceof WebhookError) throw error;
    throw new WebhookError(`The webhook could not be reached: ${reasonOf(error)}`);
  } finally {
    cancel();
  }
}

/** Node's error codes are known to who runs a webhook; its messages repeat the address, which is a secret. */
const reasonOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? `${error.code}.` : 'the connection failed.';

function post(target: URL, body: string, allowsPrivate: boolean, signal: AbortSignal): Promise<number> {
  const options = {
    method: 'POST',
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'user-agent': 'Tidemark',
    },
    // no connection is kept: it would outlive the check of its address
    agent: false,
    signal,
    ...(allowsPrivate ? {} : { lookup: lookupPublic }),
  } as const;
  return new Promise((resolve, reject) => {
    const send = target.protocol === 'https:' ? requestHttps : requestHttp;
    const request: ClientRequest = send(target, options, (response) => {
      const { statusCode = 0 } = response;
      let read = 0;
      response.on('data', (chunk: Buffer) => {
        read += chunk.length;
        if (read <= MAX_RESPONSE) return;
        resolve(statusCode);
        request.destroy();
      });
      response.on('end', () => resolve(statusCode));
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}
