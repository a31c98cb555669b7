import type { Client, ClientInternals } from '@tidemark/client';
import { gzipSync } from 'fflate';
import { compress } from './compress.js';
import type { Batch } from './recording.js';

export interface Delivery {
  send(batch: Batch): void;
  /** The page may end at any moment: sends what fits into `keepalive` requests, and stores the rest for the next page. */
  leave(batch?: Batch): void;
}

/** Limit of undelivered data in characters. */
const MAX_WAITING = 8_000_000;
/** Limit of data that is stored when the page ends, in bytes; base64 is a third longer. */
const MAX_STORED = 375_000;
const FIRST_RETRY_MS = 3000;
const LONGEST_RETRY_MS = 60_000;
/** Bytes of the limit of `keepalive` requests that are reserved for events. */
const FOR_EVENTS = 20_000;

interface Waiting {
  json: string;
  zipped?: Uint8Array<ArrayBuffer> | undefined;
  tries: number;
  /** It is in a `keepalive` request. */
  safe?: boolean;
  /** `zipped` as base64, for storage. */
  copy?: string;
}

/** Sends batches one after the other, compressed, and retries those that failed. */
export function createDelivery(client: Client, internals: ClientInternals, limited: () => void): Delivery {
  const { platform, log, stored, emit } = internals;
  /** Copies of data, and last the number of batches that storage has no space for. */
  const copies = internals.slot<(string | number)[]>(`chunks.${platform.ids.uuid7()}`, () => undefined);
  let waiting: Waiting[] = [];
  /** Batches that storage has no space for: lost if the page ends. */
  let unstored = 0;
  let sending = false;
  let timer: unknown;

  const room = () => (platform.keepaliveRoom?.() ?? 0) - FOR_EVENTS;
  const store = (count = unstored) => {
    unstored = count;
    const all = waiting.flatMap(({ copy }) => copy ?? []);
    copies.set(all.length || unstored ? [...all, unstored] : undefined);
  };
  /** Drops the data that another page has taken from storage, since this one was hidden: that page sends it. */
  const dropTaken = () => {
    copies.refresh();
    if (!copies.get()) waiting = waiting.filter(({ copy }) => !copy);
  };
  const lost = (count: number) => emit('loss', { reason: 'recording_overflow', count });
  const add = (batch: Batch) => {
    waiting.push({ json: bodyOf(batch, client, internals), tries: 0 });
    while (waiting.reduce((size, { json }) => size + json.length, 0) > MAX_WAITING) {
      waiting.shift();
      lost(1);
      log.warn('Session recording: the service cannot be reached, and the oldest data is dropped.');
    }
  };
  const drop = (one: Waiting) => {
    waiting = waiting.filter((other) => other !== one);
    // the page has not ended
    if (one.copy || unstored) store(0);
  };
  const clear = () => {
    waiting = [];
    store(0);
  };
  const next = async () => {
    timer = undefined;
    if (client.isOptedOut()) clear();
    dropTaken();
    const first = waiting.find(({ safe }) => !safe);
    if (sending || !first) return;
    sending = true;
    await deliver(first);
    sending = false;
    if (timer === undefined) void next();
  };
  const deliver = async (one: Waiting, leaving = false) => {
    const outcome = await post(one, leaving).catch(() => 'retry');
    one.safe = false;
    if (outcome === 'retry') {
      timer ??= platform.timers.set(() => void next(), Math.min(FIRST_RETRY_MS * 2 ** one.tries++, LONGEST_RETRY_MS));
      return;
    }
    drop(one);
    if (outcome === 'refused') log.warn('Session recording: the service refused data. Check the project key.');
    if (outcome === 'limited') {
      clear();
      limited();
    }
  };
  /** Posts a batch, compressed by the options. `leaving`: it is compressed already. */
  const post = async (one: Waiting, leaving: boolean): Promise<'done' | 'limited' | 'refused' | 'retry'> => {
    const { api_host: host = '', paths, disable_compression, request_headers } = internals.options();
    if (!disable_compression) one.zipped ??= await compress(one.json);
    const { zipped } = one;
    one.safe = !!zipped && zipped.length <= room();
    const answer = await platform.fetch(
      `${host.replace(/\/+$/, '')}${paths?.replay ?? '/s/'}${zipped ? '?compression=gzip-js' : ''}`,
      {
        method: 'POST',
        headers: { ...request_headers, 'content-type': 'text/plain' },
        body: zipped ?? one.json,
        keepalive: one.safe,
        leaving,
      },
    );
    const { status } = answer;
    if (status === 408 || status === 429 || status >= 500) return 'retry';
    if (status >= 300) return 'refused';
    return /"quota_limited":\s*\[[^\]]*"recordings"/.test(await answer.text()) ? 'limited' : 'done';
  };

  for (const [name, text] of stored.ofOtherPages('chunks')) {
    stored.remove(name);
    internals.guard(() => {
      for (const copy of JSON.parse(text)) {
        if (typeof copy === 'number') {
          if (copy) lost(copy);
        } else waiting.push({ json: '', zipped: Uint8Array.from(atob(copy), (byte) => byte.charCodeAt(0)), tries: 0, copy });
      }
    });
  }
  if (waiting.length) {
    store();
    void next();
  }

  return {
    send(batch) {
      add(batch);
      if (timer === undefined) void next();
    },
    leave(batch) {
      dropTaken();
      if (client.isOptedOut()) clear();
      else if (batch) add(batch);
      const healthy = platform.online?.isOnline() !== false && !waiting.some(({ tries }) => tries);
      let left = MAX_STORED;
      const rest = waiting.filter(({ safe }) => !safe);
      for (const one of rest) {
        one.zipped ??= gzipSync(new TextEncoder().encode(one.json));
        if (healthy && one.zipped.length <= room()) {
          void deliver(one, true);
          continue;
        }
        left -= one.zipped.length;
        if (left < 0) break;
        one.copy ??= btoa(Array.from(one.zipped, (byte) => String.fromCharCode(byte)).join(''));
      }
      store(rest.filter(({ copy, safe }) => !copy && !safe).length);
      // a page that stays sends the rest as usual
      if (timer === undefined) void next();
    },
  };
}

function bodyOf({ sessionId, windowId, items, size }: Batch, client: Client, { platform }: ClientInternals): string {
  const distinctId = client.getDistinctId();
  const text = JSON.stringify({
    event: '$snapshot',
    uuid: platform.ids.uuid7(),
    timestamp: new Date(platform.clock.now()).toISOString(),
    distinct_id: distinctId,
    properties: {
      $session_id: sessionId,
      $window_id: windowId,
      $snapshot_bytes: size,
      $snapshot_source: 'web',
      $lib: platform.library.name,
      $lib_version: platform.library.version,
      token: client.apiKey,
      distinct_id: distinctId,
    },
  });
  // the items are JSON text already: they go before the two brackets at the end
  return `[${text.slice(0, -2)},"$snapshot_data":[${items.join(',')}]}}]`;
}
