import { isSendable } from './before-send.js';
import type { Feature } from './client.js';
import type { CapturedEvent, Loss } from './event.js';
import { isUuid } from './event-time.js';

/** An event that was stored. */
export interface StoredEvent {
  event: CapturedEvent;
  /** Epoch milliseconds of the capture. */
  at: number;
}

const EXPIRES_MS = 7 * 86_400_000;

/**
 * Sends the events that earlier pages, or earlier runs of an app, have stored: those that failed, and those without a confirmation. The service
 * stores each event once, by its uuid.
 */
export function resume(): Feature {
  return {
    name: 'resume',
    setup(client, { platform, options, stored, restore, emit }) {
      const { clock, timers } = platform;
      let timer: unknown;
      let seen = new Map<string, string>();
      const lost = (reason: Loss, count: number) => {
        if (count) emit('loss', { reason, count });
      };
      /** Takes the events of pages whose stored text has not changed since the last check: a page that is still open sends its events and changes it. */
      const check = () => {
        timers.clear(timer);
        timer = undefined;
        const found = stored.ofOtherPages('queue');
        const taken: StoredEvent[] = [];
        for (const [name, text] of found) {
          if (seen.get(name) !== text || client.isOptedOut()) continue;
          const { dropped, entries } = entriesIn(text);
          const fresh = entries.filter(({ at }) => clock.now() - at < EXPIRES_MS);
          lost('storage_overflow', dropped);
          lost('expired', entries.length - fresh.length);
          taken.push(...fresh);
          stored.remove(name);
          found.delete(name);
        }
        seen = found;
        if (taken.length) restore(taken);
        if (seen.size && !client.isOptedOut()) timer = timers.set(check, options().flushInterval ?? 3000);
      };
      check();
      const stops = [client.on('flush', check), client.on('consent', check)];
      return () => {
        for (const stop of stops) stop();
        timers.clear(timer);
      };
    },
  };
}

/** Parses the stored text of a page: its events, and how many did not fit (`dropped`). */
function entriesIn(text: string): { dropped: number; entries: StoredEvent[] } {
  try {
    const { lost, ...lists } = Object(JSON.parse(text));
    const entries = Object.values(lists).flat().flatMap(entryOf);
    return { dropped: Number(lost) || 0, entries };
  } catch {
    return { dropped: 0, entries: [] };
  }
}

/** One stored event; empty when it is invalid. */
function entryOf(pair: unknown): StoredEvent[] {
  if (!Array.isArray(pair)) return [];
  const [at, event]: unknown[] = pair;
  return typeof at === 'number' && isSendable(event) && isUuid(event.uuid) ? [{ at, event }] : [];
}
