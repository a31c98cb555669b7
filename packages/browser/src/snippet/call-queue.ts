import type { Client } from '@tidemark/client';

/** A call before the library was loaded: method, arguments, and time in epoch milliseconds. */
export type QueuedCall = readonly [method: string, args: readonly unknown[], at: number];

/** Makes a queued call. Events get the time of the call. */
export function makeCall(client: Client, [method, args, at]: QueuedCall): void {
  const call: unknown = Reflect.get(client, method);
  if (typeof call !== 'function') return;
  if (method !== 'capture') {
    call.apply(client, args);
    return;
  }
  const [event, properties, options] = args;
  const given = typeof options === 'object' ? options : {};
  call.call(client, event, properties, { timestamp: at, ...given });
}

/** The valid calls in the queue of the page's snippet. */
export function queuedCalls(left: unknown): QueuedCall[] {
  if (!Array.isArray(left)) return [];
  return left.flatMap((call: unknown): QueuedCall[] => {
    if (!Array.isArray(call)) return [];
    const [method, args, at]: unknown[] = call;
    return typeof method === 'string'
      ? [[method, Array.isArray(args) ? args : [], typeof at === 'number' ? at : Date.now()]]
      : [];
  });
}
