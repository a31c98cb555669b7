import type { CapturedEvent } from './event.js';
import type { BeforeSend } from './options.js';
import type { Log } from './platform.js';

/** Runs the hooks in order on each other's output. null: dropped, by a hook or because one threw (fail closed). */
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
      current = next;
    }
    return current;
  } catch (error) {
    log.warn('before_send threw; dropped:', error);
    return null;
  }
}
