import type { Client, ClientInternals } from '@tidemark/client';
import { gzipSync, strToU8 } from 'fflate';
import { compress } from './compress.js';
import type { Batch } from './recording.js';

export interface Delivery {
  send(batch: Batch): void;
  /** Hands over what has not arrived yet, in ways that outlive the page; the server stores the same again once. */
  leave(batch?: Batch): void;
}

/** Characters that may wait to be sent. */
const MAX_WAITING = 8_000_000;
const FIRST_RETRY_MS = 3000;
const LONGEST_RETRY_MS = 60_000;
/** Browsers take no more by beacon, all together. */
const BEACON_BYTES = 60_000;

interface Waiting {
  json: string;
  tries: number;
}

/** Sends batches one after the other, compressed, and again when they did not arrive. */
export function createDelivery(client: Client, internals: ClientInternals, limited: () => void): Delivery {
  const { platform, log } = internals;
  let waiting: Waiting[] = [];
  let size = 0;
  let sending = false;
  let timer: unknown;

  const url = (compressed: boolean) => {
    const { api_host: host = '', paths } = internals.options();
    return `${host.replace(/\/+$/, '')}${paths?.replay ?? '/s/'}${compressed ? '?compression=gzip-js' : ''}`;
  };
  const add = (batch: Batch) => {
    const json = bodyOf(batch, client, internals);
    waiting.push({ json, tries: 0 });
    size += json.length;
    while (size > MAX_WAITING) drop('Recordings could not be sent for too long; the oldest are lost.');
  };
  const drop = (sentence?: string) => {
    size -= waiting.shift()?.json.length ?? 0;
    if (sentence) log.warn(sentence);
  };
  const clear = () => {
    waiting = [];
    size = 0;
  };
  const next = async () => {
    timer = undefined;
    if (client.isOptedOut()) clear();
    const first = waiting[0];
    if (sending || !first) return;
    sending = true;
    const outcome = await post(first.json).catch(() => 'retry' as const);
    sending = false;
    if (outcome !== 'retry' || waiting[0] !== first) {
      if (waiting[0] === first) drop(outcome === 'refused' ? 'The server refused a recording.' : undefined);
      if (outcome === 'limited') {
        clear();
        limited();
      }
      return next();
    }
    timer ??= platform.timers.set(() => void next(), Math.min(FIRST_RETRY_MS * 2 ** first.tries++, LONGEST_RETRY_MS));
  };
  const post = async (json: string): Promise<'done' | 'limited' | 'refused' | 'retry'> => {
    const zipped = internals.options().disable_compression ? undefined : await compress(json);
    const answer = await platform.fetch(url(!!zipped), {
      method: 'POST',
      headers: { ...internals.options().request_headers, 'content-type': 'text/plain' },
      body: zipped ?? json,
      keepalive: !!zipped && zipped.length < BEACON_BYTES,
    });
    const { status } = answer;
    if (status === 408 || status === 429 || status >= 500) return 'retry';
    if (status >= 300) return 'refused';
    return /"quota_limited":\s*\[[^\]]*"recordings"/.test(await answer.text()) ? 'limited' : 'done';
  };

  return {
    send(batch) {
      add(batch);
      if (timer === undefined) void next();
    },
    leave(batch) {
      if (client.isOptedOut()) clear();
      else if (batch) add(batch);
      let room = BEACON_BYTES;
      for (const one of [...waiting]) {
        const zipped = gzipSync(strToU8(one.json), { level: 6 });
        if (zipped.length > room || !platform.beacon?.(url(true), new Uint8Array(zipped))) break;
        room -= zipped.length;
        drop();
      }
      // a page that stays after all sends what is left the usual way
      if (timer === undefined) void next();
    },
  };
}

function bodyOf({ sessionId, windowId, items, size }: Batch, client: Client, { platform }: ClientInternals): string {
  const distinctId = client.getDistinctId();
  const head = JSON.stringify({
    event: '$snapshot',
    uuid: platform.ids.uuid7(),
    timestamp: new Date(platform.clock.now()).toISOString(),
    distinct_id: distinctId,
  });
  const properties = JSON.stringify({
    $session_id: sessionId,
    $window_id: windowId,
    $snapshot_bytes: size,
    $snapshot_source: 'web',
    $lib: platform.library.name,
    $lib_version: platform.library.version,
    token: client.apiKey,
    distinct_id: distinctId,
  });
  return `[${head.slice(0, -1)},"properties":${properties.slice(0, -1)},"$snapshot_data":[${items.join(',')}]}}]`;
}
