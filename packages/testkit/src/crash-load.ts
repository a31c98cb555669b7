import { setTimeout as sleep } from 'node:timers/promises';
import { type Random, randomFrom } from './random.js';
import { type EventMaker, type SentEvent, webEventMaker } from './sent-events.js';
import type { Service } from './service.js';

const SENDERS = 4;
const BATCH = 20;
/** Pause between two read requests, milliseconds. */
const READ_EVERY_MS = 100;
/** Timeout of a request, milliseconds. */
const PATIENCE_MS = 30_000;

/** Makes the next event of a client. */
export type EventOf = (make: EventMaker, random: Random) => SentEvent;

/** What the load talks to: one service, or several of whose addresses each request takes one. */
export type LoadTarget = Pick<Service, 'url' | 'account' | 'output'>;

/**
 * Load for crash tests: clients that capture, and some that read from both stores.
 * @param pauseMs pause of each client between two batches, milliseconds
 */
export function startLoad(service: LoadTarget, seed: number, eventOf: EventOf = (make) => make(), pauseMs = 10) {
  const acknowledged = new Set<string>();
  const meter = createMeter();
  let retries = 0;
  let stopping = false;
  let isAbandoned = false;
  let sending = 0;
  /** Ends when clients may send their next batch. */
  let gate: Promise<void> = Promise.resolve();
  /** When the latest acknowledged request was sent. */
  let latest = 0;

  async function send(number: number): Promise<void> {
    const make = webEventMaker(seed * SENDERS + number, 50);
    const random = randomFrom(seed * SENDERS + number);
    while (!stopping) {
      for (let passed: Promise<void> | null = null; passed !== gate; ) {
        passed = gate;
        await passed;
      }
      sending++;
      const batch = Array.from({ length: BATCH }, () => eventOf(make, random));
      const body = JSON.stringify({ api_key: service.account.projectKey, batch });
      for (;;) {
        const made = performance.now();
        if (await sendOnce(body)) {
          for (const event of batch) acknowledged.add(event.uuid);
          latest = Math.max(latest, made);
          break;
        }
        if (isAbandoned) return;
        retries++;
        await sleep(50);
      }
      sending--;
      await sleep(pauseMs);
    }
  }

  /** Whether the batch was acknowledged. @throws Error when the service refuses it for good */
  async function sendOnce(body: string): Promise<boolean> {
    const options = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
    const { status, text } = await meter.request(`${service.url}/batch/`, options);
    if (status === null || text === null) return false;
    if (status !== 200 && status < 500) throw new Error(`A good batch was refused with ${status}: ${text}`);
    return status === 200;
  }

  async function read(path: string, body?: object): Promise<void> {
    const headers = { authorization: `Bearer ${service.account.personalKey}`, 'content-type': 'application/json' };
    while (!stopping) {
      await meter.request(`${service.url}${path}`, body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers });
      await sleep(READ_EVERY_MS);
    }
  }

  const clients = Array.from({ length: SENDERS }, (_, number) => send(number));
  clients.push(read('/api/organizations/'));
  const query = { kind: 'HogQLQuery', query: 'select count() from events' };
  clients.push(read('/api/projects/@current/query/', { query, refresh: 'force_blocking' }));
  return {
    mustHaveAcknowledgedSince(time: number): void {
      if (latest < time) throw new Error(`No request made since then was acknowledged.\n${service.output()}`);
    },
    /** Runs work while no client sends. */
    async pausedFor(work: () => Promise<void>): Promise<void> {
      let open = () => {};
      gate = new Promise((resolve) => {
        open = resolve;
      });
      try {
        while (sending > 0) await sleep(10);
        await work();
      } finally {
        open();
      }
    },
    /** Stops the clients, whose last batches may stay without an acknowledgement. */
    abandon(): void {
      stopping = true;
      isAbandoned = true;
    },
    /** Stops the clients when the last batch of each is acknowledged. */
    async stop() {
      stopping = true;
      await Promise.all(clients);
      return { acknowledged, retries, ...meter.measured() };
    },
  };
}

/** Sends requests and measures how failures are answered. */
function createMeter() {
  let longestRefusal = 0;
  let withoutRetryAfter = 0;
  return {
    /** `status` null: no response. */
    async request(url: string, options: RequestInit): Promise<{ status: number | null; text: string | null }> {
      const made = performance.now();
      const isOver = AbortSignal.timeout(PATIENCE_MS);
      const response = await fetch(url, { ...options, signal: isOver }).catch(() => null);
      const text = (await response?.text().catch(() => null)) ?? null;
      if (response?.status === 503 || isOver.aborted) longestRefusal = Math.max(longestRefusal, performance.now() - made);
      if (response?.status === 503 && !response.headers.has('retry-after')) withoutRetryAfter++;
      return { status: response?.status ?? null, text };
    },
    measured: () => ({ longestRefusal, withoutRetryAfter }),
  };
}
