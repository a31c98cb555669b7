import { EventsUnavailable } from '../ports/events.js';
import type { Scheduler } from '../ports/system.js';
import type { Capture, CapturedEvent, Outcome } from './capture.js';

/** A capture and the callbacks of its answer. */
export interface Request {
  capture: Capture;
  /** Settles with {@link resolve} or {@link reject}. */
  outcomes: Promise<Outcome[]>;
  resolve(outcomes: Outcome[]): void;
  reject(error: unknown): void;
}

/** One event of a request, until it has an outcome. */
export interface Item {
  request: Request;
  event: CapturedEvent;
  outcome: Outcome | null;
  /** An earlier item in flight with the same uuid: both share its outcome. */
  duplicateOf: Item | null;
  /** Why the item failed; null: it did not. */
  error: unknown;
}

/** The events of the requests, in order. */
export function itemsOf(requests: readonly Request[]): Item[] {
  const items: Item[] = [];
  for (const request of requests) {
    for (const event of request.capture.events) {
      items.push({ request, event, outcome: null, duplicateOf: null, error: null });
    }
  }
  return items;
}

/** Sets the outcome ok. */
export function markStored(item: Item): void {
  item.outcome = { uuid: item.event.uuid, result: 'ok' };
}

/** Requests answered between two yields to the event loop: about 3 ms. */
const REQUESTS_PER_TURN = 20;

/** Resolves every request with its outcomes, or rejects it with the first error of its items (`otherwise` if an item has none of its own). */
export async function answer(
  requests: readonly Request[],
  items: readonly Item[],
  { otherwise, onRefused, scheduler }: { otherwise: unknown; onRefused: (error: unknown) => void; scheduler: Scheduler },
): Promise<void> {
  let at = 0;
  for (const [i, request] of requests.entries()) {
    if (i > 0 && i % REQUESTS_PER_TURN === 0) await scheduler.yield();
    const own = items.slice(at, at + request.capture.events.length);
    at += own.length;
    const outcomes: Outcome[] = [];
    let failure: unknown = null;
    for (const item of own) {
      const decided = item.duplicateOf ?? item;
      if (decided.outcome) outcomes.push(item.duplicateOf ? { ...decided.outcome, uuid: item.event.uuid } : decided.outcome);
      else failure ??= decided.error ?? otherwise ?? new EventsUnavailable('the event was not stored');
    }
    if (failure === null) {
      request.resolve(outcomes);
    } else {
      request.reject(failure);
      onRefused(failure);
    }
  }
}
