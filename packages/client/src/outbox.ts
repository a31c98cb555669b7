import type { ClientInternals } from './client.js';
import type { CapturedEvent, Loss } from './event.js';
import { eventJson } from './event-json.js';
import { isoTime } from './event-time.js';
import type { ClientOptions } from './options.js';
import type { Log, Platform } from './platform.js';
import { createQueue } from './queue.js';
import type { StoredEvent } from './resume.js';
import { batchJson, deliveryOf } from './sender.js';
import type { Slots } from './slots.js';
import { utf8Length } from './utf8-length.js';

/** The unsent events of a client: sent in batches, and stored until the service has confirmed them. */
export interface Outbox {
  /** @param at epoch milliseconds of the capture */
  push(event: CapturedEvent, at: number): void;
  /** Queues events that an earlier page has stored in front of the others, and stores them at once. */
  restore(stored: readonly StoredEvent[]): void;
  flush(): Promise<boolean>;
  /** The page may end at any moment: sends as many events as fit into a `keepalive` request, and stores all that are not confirmed. */
  leave(): void;
  size(): number;
  /** Forgets all events, also those that other pages have stored. */
  clear(): void;
  stop(): void;
}

interface Entry extends StoredEvent {
  text?: string;
}

interface Ports {
  platform: Platform;
  slots: Slots;
  options: ClientOptions;
  log: Log;
  apiKey: string;
  url(): string;
  /** The person has opted out, or the client is off: nothing is sent. */
  isMuted(): boolean;
  request: ClientInternals['request'];
  lost(reason: Loss, count: number): void;
}

/** Of a longer queue only the newest events are stored: browsers limit the storage of a site. */
const STORED_CHARACTERS = 1_000_000;
/** A request without an answer by then is retried; the service stores each event once, by its uuid. */
const TIMEOUT_MS = 60_000;
/** Bytes of a batch around its events. */
const ENVELOPE_BYTES = 200;

/**
 * Each page stores its events under its own name, so that pages that are open at once never overwrite each other's. An event leaves the store
 * when the service has confirmed it: the next page sends what this one could not deliver, or did not see confirmed.
 */
export function createOutbox({ platform, slots, options, log, apiKey, url, isMuted, request, lost }: Ports): Outbox {
  const now = () => platform.clock.now();
  const textOf = (entry: Entry) => (entry.text ??= eventJson(entry.event, options.properties_string_max_length ?? 65_535));

  const changed = slots.text(`queue.${platform.ids.uuid7()}`, () => {
    const unsent = queue.unsent();
    const texts: string[] = [];
    let size = 0;
    for (const entry of unsent.reverse()) {
      const text = `[${entry.at},${textOf(entry)}]`;
      if (size + text.length > STORED_CHARACTERS) continue;
      size += text.length;
      texts.push(text);
    }
    return unsent.length ? `{"lost":${unsent.length - texts.length},"events":[${texts.reverse()}]}` : undefined;
  });

  const queue = createQueue<Entry>({
    timers: platform.timers,
    log,
    canSend: () => platform.online?.isOnline() !== false && !isMuted(),
    onCanSend: platform.online?.onChange,
    limits() {
      const { flushAt = 50, flushInterval = 3000, maxBatchSize = 100, maxQueueSize = 1000 } = options;
      return { flushAt, flushInterval, maxBatchSize: Math.max(1, maxBatchSize || 1), maxQueueSize };
    },
    random: () => Number.parseInt(platform.ids.uuid7().slice(-4), 16) / 65_536,
    changed,
    lost,
    async deliver(batch, leaving) {
      try {
        const path = options.paths?.batch ?? '/batch/';
        const body = batchJson(apiKey, batch.map(textOf), isoTime(now()));
        const answer = await request(path, { body, leaving, timeoutMs: TIMEOUT_MS });
        const delivery = await deliveryOf(answer, now());
        if (answer.status === 404 || (delivery.outcome === 'retry' && answer.status < 300)) log.warn(`service:${url()}${path}`);
        else if (delivery.outcome === 'refused') log.warn(`refused:${answer.status}`);
        return delivery;
      } catch {
        return { outcome: 'retry', broken: true };
      }
    },
  });

  return {
    push: (event, at) => queue.push({ event, at }),
    flush: queue.flush,
    restore(stored) {
      const known = new Set(queue.unsent().map(({ event }) => event.uuid));
      queue.restore(stored.filter(({ event }) => !known.has(event.uuid)));
      slots.flush();
    },
    size: () => queue.unsent().length,
    clear: queue.clear,
    leave() {
      const room = platform.keepaliveRoom?.();
      let left = (room ?? 0) - ENVELOPE_BYTES;
      const fits = (entry: Entry) => {
        const bytes = utf8Length(textOf(entry)) + 1;
        if (bytes > left) return false;
        left -= bytes;
        return true;
      };
      queue.leave(room === undefined ? undefined : fits);
      slots.flush();
    },
    stop: queue.stop,
  };
}
