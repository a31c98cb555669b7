import { Readable } from 'node:stream';
import type { RecentActivity, RecentEvent } from '../../analytics/index.js';
import type { Scheduler } from '../../ports/system.js';
import type { Subscriber } from './channels.js';

/** Text that may wait for a slow reader; beyond it events are dropped. Bytes; one more event may be above it. */
const MAX_WAITING = 2 * 1024 * 1024;
const HEARTBEAT_MS = 15_000;
/** A connection whose reader has taken nothing for so long is closed; milliseconds. */
const STALLED_MS = 60_000;
/** Milliseconds until an `EventSource` connects again. */
const RETRY_MS = 3_000;

/** Why a stream ended. */
export type EndReason = 'access_ended' | 'stopping' | 'unavailable';

/** Server-sent events for one reader. */
export interface EventStream extends Subscriber {
  /** The body of the response. */
  readonly body: Readable;
  /** Sends the last message, and ends. */
  end(reason: EndReason): void;
}

/** @param onEnd called once, however the stream ends */
export function createEventStream(scheduler: Scheduler, onEnd: () => void): EventStream {
  let isEnded = false;
  /** Events that the reader was too slow for since the last message. */
  let dropped = 0;
  let takenAt = scheduler.uptime();
  const body = new Readable({
    read() {
      takenAt = scheduler.uptime();
    },
    destroy(error, done) {
      finish();
      done(error);
    },
  });
  const stopHeartbeat = scheduler.every(HEARTBEAT_MS, () => {
    if (body.readableLength > MAX_WAITING && scheduler.uptime() - takenAt > STALLED_MS) body.destroy();
    else send(': heartbeat\n\n');
  });

  function finish(): void {
    if (isEnded) return;
    isEnded = true;
    stopHeartbeat();
    onEnd();
  }
  /** Whether the reader keeps up; otherwise nothing is sent. */
  function send(text: string): boolean {
    if (isEnded || body.readableLength > MAX_WAITING) return false;
    body.push(text);
    return true;
  }
  const message = (name: string, data: object, id = ''): string =>
    `${id === '' ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

  send(`retry: ${RETRY_MS}\n\n`);
  return {
    body,
    events(events: readonly RecentEvent[], leftOut: number) {
      let skipped = leftOut;
      for (const event of events) if (!send(message('event', event, event.uuid))) dropped += 1;
      skipped += dropped;
      if (skipped === 0) return;
      dropped = send(message('left_out', { count: skipped })) ? 0 : skipped;
    },
    activity(activity: RecentActivity) {
      send(message('activity', activity));
    },
    stopped() {
      this.end('stopping');
    },
    end(reason) {
      if (isEnded) return;
      body.push(message('end', { reason }));
      body.push(null);
      finish();
    },
  };
}
