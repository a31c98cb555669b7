import { type Client, createBootstrapStore } from '@tidemark/client';
import { createContext, useContext, useSyncExternalStore } from 'react';
import { createScope, type Scope, type Snapshots, type Subscribe } from './scope.js';

export const ScopeContext = createContext<Scope | null>(null);

/** Read where there is no provider: nothing is on. */
const nowhere = createScope(undefined, createBootstrapStore());

/** The scope of the nearest provider. */
export function useScope(): Scope {
  const scope = useContext(ScopeContext);
  if (!scope) nowhere.warn('There is no AnalyticsProvider above.');
  return scope ?? nowhere;
}

/**
 * The client, or undefined before it is initialized: guard each call.
 *
 * @example
 * ```tsx
 * const analytics = useAnalytics();
 * return <button onClick={() => analytics?.capture('Signed Up', { plan: 'pro' })}>Sign up</button>;
 * ```
 */
export function useAnalytics(): Client | undefined {
  const { subscribe, client } = useScope();
  return useRead(subscribe, client);
}

/** Reads a value of the scope, and renders again when it changes. */
export function useRead<T>(subscribe: Subscribe, { now, onServer }: Snapshots<T>): T {
  return useSyncExternalStore(subscribe, now, onServer);
}
