import type { CapturedEvent, Loss } from './event.js';
import { eventJson } from './event-json.js';
import { isoTime, isUuid } from './event-time.js';
import { isSendable } from './is-sendable.js';
import type { ClientOptions } from './options.js';
import type { HttpAnswer, Log, Platform } from './platform.js';
import { createQueue } from './queue.js';
import { batchJson, deliveryOf, KEEPALIVE_BYTES } from './sender.js';
import type { Slots } from './slots.js';
import { utf8Length } from './utf8-length.js';

/** The unsent events of a client: sent in batches, and kept over a reload. */
export interface Outbox {
  /** @param at epoch milliseconds of the capture */
  push(event: CapturedEvent, at: number): void;
  flush(): Promise<boolean>;
  /** The page may go at once: hands over by beacon what it can and writes down the rest. */
  leave(): void;
  size(): number;
  clear(): void;
  stop(): void;
}

interface Entry {
  event: CapturedEvent;
  /** Epoch milliseconds of the capture. */
  at: number;
  text?: string;
}

interface Ports {
  platform: Platform;
  slots: Slots;
  options(): ClientOptions;
  log: Log;
  apiKey: string;
  url(): string;
  /** Nothing may be sent now. */
  mute(): boolean;
  post(path: string, json: string): Promise<HttpAnswer>;
  lost(reason: Loss, count: number): void;
}

const EXPIRES_MS = 7 * 86_400_000;
/** Longer queues are kept in memory only, so that the store has room for others. */
const STORED_CHARACTERS = 1_000_000;

export function createOutbox({ platform, slots, options, log, apiKey, url, mute, post, lost }: Ports): Outbox {
  const now = () => platform.clock.now();
  const textOf = (entry: Entry) => (entry.text ??= eventJson(entry.event, options().properties_string_max_length ?? 65_535));
  const path = () => options().paths?.batch ?? '/batch/';
  const body = (texts: string[]) => batchJson(apiKey, texts, isoTime(now()));
  const owner = platform.ids.uuid7();
  /** What other tabs have left to send, and the text it was read from. */
  let others: Record<string, unknown> = {};
  let seen: string | null = null;

  const readOthers = () => {
    const text = stored.read();
    if (text === seen) return;
    seen = text;
    others = {};
    try {
      others = { ...JSON.parse(text ?? '{}') };
    } catch {}
    delete others[owner];
  };
  const stored = slots.text('queue', () => {
    readOthers();
    const own: string[] = [];
    let size = 0;
    for (const entry of [...queue.unsent()].reverse()) {
      size += textOf(entry).length;
      if (size > STORED_CHARACTERS) break;
      own.unshift(`[${entry.at},${textOf(entry)}]`);
    }
    const parts = [JSON.stringify(others).slice(1, -1), own.length && `"${owner}":[${own.join()}]`].filter(Boolean);
    seen = parts.length ? `{${parts.join()}}` : null;
    return seen ?? undefined;
  });

  const queue = createQueue<Entry>({
    timers: platform.timers,
    log,
    canSend: () => platform.online?.isOnline() !== false && !mute(),
    onCanSend: platform.online?.onChange,
    limits() {
      const { flushAt = 50, flushInterval = 3000, maxBatchSize = 100, maxQueueSize = 1000 } = options();
      return { flushAt, flushInterval, maxBatchSize: Math.max(1, maxBatchSize || 1), maxQueueSize };
    },
    random: () => Number.parseInt(platform.ids.uuid7().slice(-4), 16) / 65_536,
    changed: () => stored.changed(),
    lost,
    async deliver(batch) {
      try {
        const delivery = await deliveryOf(await post(path(), body(batch.map(textOf))), now());
        if (delivery.outcome === 'refused') log.warn('Refused; check the key.');
        return delivery;
      } catch {
        return { outcome: 'retry' };
      }
    },
  });

  readOthers();
  const left = Object.values(others).flat().filter(isEntry);
  const fresh = left.filter(([at]) => now() - at < EXPIRES_MS);
  if (left.length > fresh.length) lost('expired', left.length - fresh.length);
  others = {};
  for (const [at, event] of fresh) queue.push({ at, event });

  return {
    push: (event, at) => queue.push({ event, at }),
    flush: queue.flush,
    size: () => queue.unsent().length,
    clear: queue.clear,
    leave() {
      const beacon = platform.beacon;
      if (!mute() && !beacon) void queue.flush();
      if (!mute() && beacon) {
        queue.handOver((waiting) => {
          const texts: string[] = [];
          let room = KEEPALIVE_BYTES - 200;
          for (const entry of waiting) {
            const text = textOf(entry);
            room -= utf8Length(text) + 1;
            if (room < 0) break;
            texts.push(text);
          }
          return texts.length && beacon(`${url()}${path()}?beacon=1`, body(texts)) ? texts.length : 0;
        });
      }
      slots.flush();
    },
    stop: queue.stop,
  };
}

/** Whether it is an entry as another run of this library stored it. */
function isEntry(pair: unknown): pair is [at: number, event: CapturedEvent] {
  if (!Array.isArray(pair) || typeof pair[0] !== 'number') return false;
  const event: unknown = pair[1];
  return isSendable(event) && isUuid(event.uuid);
}
