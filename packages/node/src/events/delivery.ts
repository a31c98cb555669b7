import { batchJson, type ClientLog, createQueue, deliveryOf, send } from '@tidemark/client';
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

export function createDelivery(platform: NodePlatform, { apiKey, host, options, log, path }: DeliverySettings): Delivery {
  const { flushAt = 20, flushInterval = 5_000, maxBatchSize = 100, maxQueueSize = 1_000, requestTimeout = 10_000 } = options;
  const { clock, timers, library } = platform;
  const headers = { 'user-agent': `${library.name}/${library.version}` };
  let lost = 0;
  let failed = false;

  const queue = createQueue<string>({
    timers,
    log,
    limits: () => ({ flushAt, flushInterval, maxBatchSize, maxQueueSize }),
    random: () => Number.parseInt(platform.ids.uuid7().slice(-4), 16) / 65_536,
    lost: (_reason, count) => {
      lost += count;
    },
    deliver: async (batch) => {
      const body = batchJson(apiKey, batch, new Date(clock.now()).toISOString());
      const settings = { headers, compress: !options.disableCompression, timeoutMs: requestTimeout };
      try {
        const delivery = await deliveryOf(await send(platform, host + path, body, settings), clock.now());
        if (delivery.outcome !== 'done') log.warn(`Events were not taken by the service: ${delivery.outcome}`);
        failed = delivery.outcome === 'retry';
        return delivery;
      } catch (error) {
        log.warn(`Events wait, since the service cannot be reached: ${String(error)}`);
        failed = true;
        return { outcome: 'retry' };
      }
    },
  });

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
    push: queue.push,
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
      queue.stop();
      const left = queue.unsent().length;
      if (left) log.error(`${left} events were not sent before the end: the service was not to be reached in ${ms} ms`);
      if (lost) log.warn(`${lost} events were lost before: the queue was full, or the service refused them`);
    },
  };
}
