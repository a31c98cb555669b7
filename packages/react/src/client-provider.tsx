import { type Client, createBootstrapStore } from '@tidemark/client';
import { type ReactNode, useEffect, useState } from 'react';
import { createScope } from './scope.js';
import { ScopeContext } from './use-analytics.js';

/** What the provider without a client of its own takes. */
export interface ClientProviderProps {
  /** An initialized client. */
  client: Client;
  children?: ReactNode;
}

/**
 * Gives the client to all below it; children render at once. This one brings no client of its own along.
 *
 * @example
 * ```tsx
 * <AnalyticsProvider client={client}>
 *   <App />
 * </AnalyticsProvider>
 * ```
 */
export function ClientProvider({ client, children }: ClientProviderProps): ReactNode {
  const [scope] = useState(() => createScope(client, createBootstrapStore()));
  useEffect(() => {
    if (client) return scope.attach(client);
    scope.warn('AnalyticsProvider needs a client.');
  }, [scope, client]);
  return <ScopeContext.Provider value={scope}>{children}</ScopeContext.Provider>;
}
