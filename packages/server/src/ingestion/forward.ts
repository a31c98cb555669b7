import type { FastifyRequest } from 'fastify';
import { Counter, Gauge } from 'prom-client';
import type { Ports } from '../deps.js';
import { clientAddress } from '../http/sdk/index.js';
import { logOnce } from '../kernel/log-once.js';
import { sleep } from '../kernel/scheduler.js';

/** Requests to the other service at a time. */
const CONCURRENT = 8;
const TIMEOUT_MS = 10_000;
/** Attempts of one request, and the pause before the second one; each further pause is twice as long. */
const MAX_TRIES = 4;
const PAUSE_MS = 500;
/** How long a close waits for what is queued. */
const CLOSE_MS = 5_000;

/** Headers of a request that its protocol needs. */
const HEADERS = [
  'authorization',
  'content-type',
  'content-encoding',
  'user-agent',
  'posthog-sdk-info',
  'posthog-attempt',
  'posthog-request-id',
  'posthog-request-timestamp',
];

/** Sends captured requests to another service as well, as they came: the old one, for as long as both run. */
export interface Forwarder {
  /** Queues a request that was stored. Returns at once; when the queue is full, the request is dropped and counted. */
  forward(request: FastifyRequest, body: Buffer): void;
  /** Sends what is queued, for some seconds at most. */
  close(): Promise<void>;
}

interface Forwarded {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer;
}

/** The forwarder of `TIDEMARK_FORWARD_TO`; without the setting it does nothing. */
export function createForwarder({
  config,
  log,
  metrics,
  scheduler,
}: Pick<Ports, 'config' | 'log' | 'metrics' | 'scheduler'>): Forwarder {
  const { forwardTo, forwardQueueBytes } = config;
  if (forwardTo === null) return { forward: () => {}, close: async () => {} };
  const base = forwardTo.replace(/\/+$/, '');
  const queue: Forwarded[] = [];
  const running = new Set<Promise<void>>();
  const closing = new AbortController();
  let bytes = 0;
  const failures = logOnce(log, 'warn', 'requests are forwarded again');
  const registers = [metrics];
  const results = new Counter({
    name: 'tidemark_forwarded_requests_total',
    help: 'Requests for TIDEMARK_FORWARD_TO, by result: sent, refused (a response of 400 to 499), failed (no attempt succeeded), dropped (the queue was full)',
    labelNames: ['result'],
    registers,
  });
  new Gauge({
    name: 'tidemark_forward_queue_bytes',
    help: 'Bytes of requests that wait to be forwarded',
    registers,
    collect() {
      this.set(bytes);
    },
  });

  async function send({ method, path, headers, body }: Forwarded): Promise<string> {
    for (let tries = 1; ; tries++) {
      try {
        const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(TIMEOUT_MS)]);
        const content = method === 'GET' ? {} : { body: new Uint8Array(body) };
        const response = await fetch(base + path, { method, headers, signal, redirect: 'manual', ...content });
        await response.body?.cancel();
        if (response.status < 500 && response.status !== 429) {
          failures.worked();
          return response.status < 400 ? 'sent' : 'refused';
        }
        failures.failed('requests cannot be forwarded', new Error(`${base} responds ${response.status}`));
      } catch (error) {
        if (closing.signal.aborted) return 'failed';
        failures.failed('requests cannot be forwarded', error);
      }
      if (tries === MAX_TRIES) return 'failed';
      await sleep(scheduler, PAUSE_MS * 2 ** (tries - 1), closing.signal).catch(() => {});
    }
  }

  async function work(): Promise<void> {
    for (let next = queue.shift(); next; next = queue.shift()) {
      results.inc({ result: await send(next) });
      bytes -= sizeOf(next);
    }
  }

  return {
    forward(request, body) {
      const one = forwardedOf(request, body);
      if (closing.signal.aborted || bytes + sizeOf(one) > forwardQueueBytes) {
        results.inc({ result: 'dropped' });
        return;
      }
      bytes += sizeOf(one);
      queue.push(one);
      if (running.size >= CONCURRENT) return;
      const worker = work().finally(() => running.delete(worker));
      running.add(worker);
    },
    async close() {
      const cancel = scheduler.after(CLOSE_MS, () => closing.abort());
      await Promise.all(running);
      cancel();
      closing.abort();
    },
  };
}

function forwardedOf(request: FastifyRequest, body: Buffer): Forwarded {
  // the other service locates visitors by their addresses
  const headers: Record<string, string> = { 'x-forwarded-for': clientAddress(request) };
  for (const name of HEADERS) {
    const value = request.headers[name];
    if (typeof value === 'string') headers[name] = value;
  }
  return { method: request.method, path: request.url, headers, body };
}

/** About the memory of a queued request. */
const sizeOf = ({ body, path }: Forwarded): number => body.length + path.length + 1_000;
