import type { Client } from '@tidemark/client';
import { type ReactNode, useEffect, useState } from 'react';
import { bootstrapFlags } from './bootstrap-flags.js';
import { createScope } from './scope.js';
import { ScopeContext } from './use-analytics.js';

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
  const [scope] = useState(() => createScope(client, bootstrapFlags()));
  useEffect(() => {
    if (client) return scope.attach(client);
    scope.warn('AnalyticsProvider needs a client.');
  }, [scope, client]);
  return <ScopeContext.Provider value={scope}>{children}</ScopeContext.Provider>;
}
