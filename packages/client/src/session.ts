import type { SessionChange } from './client.js';
import { timeOfUuid7 } from './event-time.js';
import { isRecord } from './is-record.js';
import type { ClientOptions } from './options.js';
import type { Platform } from './platform.js';
import type { Slots } from './slots.js';

export interface Session {
  /** The id now. `active`: when something happened, epoch milliseconds; the idle time starts again there. */
  id(active?: number): string;
  startedAt(): number;
  /** Goes over to the session that another page began. */
  follow(): void;
  reset(): void;
}

interface Stored {
  id: string;
  start: number;
  last: number;
}

const LONGEST_MS = 86_400_000;

/** A session ends after the idle time or after a day, whichever is first; tabs share it through storage. */
export function createSession(
  platform: Platform,
  slots: Slots,
  options: ClientOptions,
  changed: (change: SessionChange) => void,
): Session {
  const slot = slots.slot('session', (stored) => (isStored(stored) ? stored : undefined));
  let current: Stored | undefined;

  const idleMs = () => Math.min(36_000, Math.max(60, options.session_idle_timeout_seconds || 1800)) * 1000;
  const live = (session: Stored | undefined, now: number) =>
    // clocks are set back, too: what ended long after now is over as well
    session && Math.abs(now - session.last) < idleMs() && now - session.start < LONGEST_MS ? session : undefined;
  const begin = (session: Stored, reason: SessionChange['reason']) => {
    const previous = current?.id;
    current = session;
    if (reason !== 'adopted') {
      slot.set(session, true);
    }
    changed({ sessionId: session.id, previous, reason });
  };
  const rotate = (now: number, reason: SessionChange['reason']) =>
    begin({ id: platform.ids.uuid7(now), start: now, last: now }, reason);

  /** Goes over to the session that is stored, if it is not over; false if it is. */
  const follow = (now: number): boolean => {
    const stored = live(slot.get(), now);
    if (stored && stored.id !== current?.id) begin(stored, 'adopted');
    current = stored ?? current;
    return !!stored;
  };

  const boot = options.bootstrap;
  const bootstrapId = boot?.sessionId ?? boot?.sessionID;
  if (bootstrapId) {
    const start = timeOfUuid7(bootstrapId);
    if (start === undefined) platform.log.error(`session:${bootstrapId}`);
    else begin({ id: bootstrapId, start, last: platform.clock.now() }, 'start');
  }

  return {
    id(active) {
      const now = active ?? platform.clock.now();
      if (!live(current, now)) {
        slot.refresh();
        if (!follow(now)) rotate(now, !current ? 'start' : now - current.start < LONGEST_MS ? 'idle' : 'max_length');
      }
      if (!current) return '';
      if (active && current.last !== now) {
        current.last = now;
        slot.set(current);
      }
      return current.id;
    },
    follow: () => void (current && follow(platform.clock.now())),
    startedAt: () => current?.start ?? platform.clock.now(),
    reset: () => rotate(platform.clock.now(), 'reset'),
  };
}

function isStored(stored: unknown): stored is Stored {
  return isRecord(stored) && typeof stored.id === 'string' && [stored.start, stored.last].every(Number.isFinite);
}
