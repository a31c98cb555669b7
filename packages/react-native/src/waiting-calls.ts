import type { Client, Log } from '@tidemark/client';

/** A queue of calls, made later in their order. */
export interface WaitingCalls {
  /** A call that changes what the client knows. None is dropped: they are few in the seconds that storage may take. */
  add(call: (client: Client) => void): void;
  /** A call that captures an event. Over the limit the oldest event is dropped, as in the client's own queue. */
  addEvent(call: (client: Client) => void): void;
  /** Makes the calls, and gives how many events were dropped. */
  makeAll(client: Client): number;
}

/** @param limit how many events wait at most */
export function createWaitingCalls(log: Log, limit = 1_000): WaitingCalls {
  let calls: { make(client: Client): void; isEvent: boolean }[] = [];
  let events = 0;
  let dropped = 0;
  return {
    add: (make) => void calls.push({ make, isEvent: false }),
    addEvent: (make) => {
      calls.push({ make, isEvent: true });
      if (++events - dropped <= limit) return;
      calls.splice(
        calls.findIndex(({ isEvent }) => isEvent),
        1,
      );
      if (!dropped++) log.warn('[tidemark] Storage has not answered, and the queue is full: the oldest events are dropped.');
    },
    makeAll: (client) => {
      const queued = calls;
      calls = [];
      for (const { make } of queued) make(client);
      return dropped;
    },
  };
}
