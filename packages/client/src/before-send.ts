import type { CapturedEvent } from './event.js';
import { isSendable } from './is-sendable.js';
import type { BeforeSend } from './options.js';
import type { Log } from './platform.js';

/** Runs the hooks in order on each other's output. null: dropped, by a hook or because one threw or gave what is no event (fail closed). */
export function runBeforeSend(
  hooks: BeforeSend | BeforeSend[] | undefined,
  event: CapturedEvent,
  log: Log,
): CapturedEvent | null {
  if (!hooks) return event;
  let current = event;
  try {
    for (const hook of Array.isArray(hooks) ? hooks : [hooks]) {
      const next = hook(current);
      if (!next) return null;
      // one event that the server refuses costs all that are sent with it
      if (!isSendable(next)) throw next;
      current = next;
    }
    return current;
  } catch (error) {
    log.warn('failed:before_send', error);
    return null;
  }
}
