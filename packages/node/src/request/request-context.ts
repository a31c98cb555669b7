import { AsyncLocalStorage } from 'node:async_hooks';

/** The person and session that the headers of a request name: for attribution, never as proof of identity. */
export interface RequestContext {
  distinctId?: string;
  sessionId?: string;
  /** More properties of each event that is captured while the request is handled. */
  properties?: Readonly<Record<string, unknown>>;
}

/** Keeps the context of each request apart from that of all others that are handled at the same time. */
export interface RequestContexts {
  run<T>(context: RequestContext, work: () => T): T;
  current(): RequestContext | undefined;
}

export function createRequestContexts(): RequestContexts {
  const storage = new AsyncLocalStorage<RequestContext>();
  return { run: (context, work) => storage.run(context, work), current: () => storage.getStore() };
}
