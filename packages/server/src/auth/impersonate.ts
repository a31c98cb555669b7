import { AsyncLocalStorage } from 'node:async_hooks';
import type { Principal } from './context.js';

/**
 * The user as whom this process calls its own API. The value is visible only to the asynchronous calls that {@link Impersonation.run} starts.
 * A request from the network runs in the context of the server's socket, so no header of it can claim to be impersonated.
 */
export interface Impersonation {
  /** Runs `work` so that the requests which it injects into the app are those of `principal`, with all guards and limits. */
  run<T>(principal: Principal, work: () => PromiseLike<T>): Promise<T>;
  /** The user as whom the current request was injected; null: a request from outside. */
  principal(): Principal | null;
}

export function createImpersonation(): Impersonation {
  const impersonated = new AsyncLocalStorage<Principal>();
  return {
    // `await` inside: the thenable of `app.inject` sends its request only when it is awaited
    run: (principal, work) => impersonated.run(principal, async () => await work()),
    principal: () => impersonated.getStore() ?? null,
  };
}
