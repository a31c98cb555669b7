import {
  batchJson,
  type ClientLog,
  createQueue,
  deliveryOf,
  type Queue,
  type Delivery as QueueDelivery,
  send,
} from '@tidemark/client';
import type { NodeOptions } from '../node-options.js';
import type { NodePlatform } from '../node-platform.js';
import { within } from '../within.js';

/** Brings events, as JSON, to the service. */
export interface Delivery {
  push(json: string): void;
  flush(): Promise<void>;
  /** Tries once more what is left when the process would end; not again while the service is not to be reached. */
  lastWords(): void;
  /** Tries again and again until all is sent or the time is over, and stops. Never rejects. */
  shutdown(ms: number): Promise<void>;
}

const GZIPPED_JSON = { 'content-type': 'application/json', 'content-encoding': 'gzip' };

interface DeliverySettings {
  apiKey: string;
  host: string;
  options: NodeOptions;
  log: ClientLog;
  /** Where batches go. */
  path: string;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5_000;
/** Characters of one request, and of all that waits. */
const LARGEST_BATCH = 5 << 20;
const MOST_WAITING = 64 << 20;

export function createDelivery(platform: NodePlatform, { apiKey, host, options, log, path }: DeliverySettings): Delivery {
  const { flushAt = 20, flushInterval = 5_000, maxBatchSize = 100, maxQueueSize = 10_000, requestTimeout = 10_000 } = options;
  const { maxRetries = Number.POSITIVE_INFINITY } = options;
  const { clock, timers, library } = platform;
  const headers = { 'user-agent': `${library.name}/${library.version}` };
  let lost = 0;
  let failed = false;
  let stopped = false;
  /** The first event of the last batch that failed, and how often in a row such a batch has. */
  let failing: { first: string | undefined; times: number } = { first: undefined, times: 0 };
  /** Characters that wait, or more: what was sent is taken off only when it matters. */
  let waiting = 0;
  let request = new AbortController();

  /** The platform's, and given up when the time is over in which the process may end. */
  const fetch: NodePlatform['fetch'] = (url, { signal, ...rest }) => {
    const abort = new AbortController();
    request = abort;
    signal?.addEventListener('abort', () => abort.abort());
    return platform.fetch(url, { ...rest, signal: abort.signal });
  };

  const queue: Queue<string> = createQueue<string>({
    timers,
    log,
    limits: () => ({
      flushAt,
      flushInterval,
      maxQueueSize,
      get maxBatchSize() {
        return firstOf(queue.unsent(), maxBatchSize, LARGEST_BATCH);
      },
    }),
    random: () => Number.parseInt(platform.ids.uuid7().slice(-4), 16) / 65_536,
    lost: (_reason, count) => {
      lost += count;
    },
    deliver: async (batch) => {
      const settings = { headers, compress: !options.disableCompression, zippedHeaders: GZIPPED_JSON, timeoutMs: requestTimeout };
      try {
        const body = batchJson(apiKey, batch, new Date(clock.now()).toISOString());
        const answer = await send({ ...platform, fetch }, host + path, body, settings);
        const delivery = await deliveryOf(answer, clock.now());
        if (delivery.outcome !== 'done') log.warn(whyNot(answer.status, delivery, batch.length));
        failed = delivery.outcome === 'retry';
        return failed ? retried(batch, delivery) : delivery;
      } catch (error) {
        if (!stopped) log.warn(`Events wait, since the service cannot be reached at ${host}: ${String(error)}`);
        failed = true;
        return retried(batch, { outcome: 'retry' });
      }
    },
  });

  /** What is wrong with an answer, and what to do. */
  function whyNot(status: number, { outcome }: QueueDelivery, count: number): string {
    if (status === 404 || (outcome === 'retry' && status < 300)) return `No Tidemark at ${host}${path}: check the option host`;
    if (outcome === 'retry') return `Events wait, since the service answers ${status}`;
    if (outcome === 'refused') return `Events were refused (${status}): check the project key`;
    return count > 1
      ? 'A request was too large, so it is sent in parts'
      : 'An event is too large for the service, so it was dropped';
  }

  /** A batch that has failed too often is dropped, and counted as lost. */
  function retried([first]: readonly string[], delivery: QueueDelivery): QueueDelivery {
    failing = { first, times: failing.first === first ? failing.times + 1 : 1 };
    if (failing.times <= maxRetries) return delivery;
    log.warn(`Events were dropped: maxRetries (${maxRetries}) is reached`);
    return { outcome: 'refused' };
  }

  /** Events are kept by their number; large ones by their size, too. */
  function push(json: string): void {
    queue.push(json);
    waiting += json.length;
    if (waiting <= MOST_WAITING) return;
    waiting = queue.unsent().reduce((sum, event) => sum + event.length, 0);
    const dropped = queue.take((event) => {
      if (waiting <= MOST_WAITING) return false;
      waiting -= event.length;
      return true;
    }).length;
    if (dropped) log.warn('Queue full: the oldest events are dropped. Await flush now and then, or capture less at once.');
    lost += dropped;
  }

  async function drain(over: () => boolean): Promise<void> {
    for (let pause = FIRST_PAUSE_MS; queue.unsent().length && !over(); ) {
      // what came during a flush is left by it
      if (await queue.flush()) continue;
      if (over()) return;
      await new Promise<void>((resolve) => void timers.set(resolve, pause));
      pause = Math.min(LONGEST_PAUSE_MS, pause * 2);
    }
  }

  return {
    push,
    flush: async () => void (await queue.flush()),
    lastWords: () => {
      // a flush keeps the process alive, and its end brings us here again
      if (queue.unsent().length && !failed) void queue.flush();
    },
    shutdown: async (ms) => {
      let over = false;
      await within(timers, ms, 'Sending the last events', () => drain(() => over)).catch((error: Error) =>
        log.debug(error.message),
      );
      over = true;
      stopped = true;
      queue.stop();
      request.abort();
      const left = queue.unsent().length;
      if (left) log.error(`${left} events were not sent before the end: the service was not to be reached in ${ms} ms`);
      if (lost) log.warn(`${lost} events were lost before: the queue was full, or the service refused them`);
    },
  };
}

/** How many of the first events are one request: so many, and so many characters, at most; but one in any case. */
function firstOf(events: readonly string[], most: number, characters: number): number {
  let left = characters - (events[0]?.length ?? 0);
  let count = 1;
  while (count < most && count < events.length) {
    left -= events[count]?.length ?? 0;
    if (left < 0) break;
    count++;
  }
  return count;
}
