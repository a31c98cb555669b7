import type { CapturedEvent } from '../capture.js';

/**
 * When the client made the event, by its own clock, in epoch milliseconds: it cannot have been sent before. The corrected
 * timestamp will not do: a retry repeats its `sent_at`, so correction moves it with every retry.
 */
export function firstMade(event: CapturedEvent): number {
  return event.clientTime ?? versionSevenTime(event.uuid) ?? 0;
}

/** The time inside a version 7 UUID, which most SDKs choose. */
function versionSevenTime(uuid: string): number | null {
  if (uuid.charCodeAt(14) !== 55) return null;
  return Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16);
}
