import type { BeforeSend, CapturedEvent } from '@tidemark/client';

/** Appends a `before_send` hook that records queued events. */
export function recorder(given: BeforeSend | BeforeSend[] | undefined): { queued: CapturedEvent[]; before_send: BeforeSend[] } {
  const queued: CapturedEvent[] = [];
  const note: BeforeSend = (event) => {
    queued.push(event);
    return event;
  };
  return { queued, before_send: [...(given === undefined ? [] : [given].flat()), note] };
}
