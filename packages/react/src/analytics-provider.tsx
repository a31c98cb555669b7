import { type BrowserOptions, getClient, init } from '@tidemark/browser';
import { type Client, createBootstrapStore } from '@tidemark/client';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { equal } from './equal.js';
import { createScope } from './scope.js';
import { ScopeContext } from './use-analytics.js';

interface WithClient {
  /** An initialized client. */
  client: Client;
  apiKey?: never;
  options?: never;
}

interface WithKey {
  /** The project API key; the provider initializes a client with it. */
  apiKey: string;
  /** The client's options. Changed ones are applied to the running client; with another `name` it goes over to another client. */
  options?: BrowserOptions | undefined;
  client?: never;
}

/** A client of yours, or the key and the options with which the provider initializes one. */
export type AnalyticsProviderProps = (WithClient | WithKey) & { children?: ReactNode };

/**
 * Gives a client to all below it. Children render at once, before there is a client, and on the server.
 *
 * @example
 * ```tsx
 * <AnalyticsProvider apiKey="tmk_..." options={{ api_host: 'https://analytics.example.com' }}>
 *   <App />
 * </AnalyticsProvider>
 * ```
 */
export function AnalyticsProvider({ client, apiKey, options, children }: AnalyticsProviderProps): ReactNode {
  const [scope] = useState(() => createScope(client, createBootstrapStore(options?.bootstrap)));
  const applied = useRef<BrowserOptions>(undefined);

  // biome-ignore lint/correctness/useExhaustiveDependencies: changed options are applied below, without another start
  useEffect(() => {
    if (client) {
      if (apiKey) scope.warn('AnalyticsProvider uses its client, not its apiKey.');
      return scope.attach(client);
    }
    if (!apiKey) return scope.warn('AnalyticsProvider needs a client or an apiKey.');
    // effects run twice in StrictMode, and providers may come again: the page keeps its client, unless it was shut down
    const existing = getClient(options?.name);
    if (existing?.isInitialized && existing.apiKey === apiKey) return scope.attach(existing);
    applied.current = options;
    return scope.attach(init(apiKey, options, options?.name));
  }, [scope, client, apiKey, options?.name]);

  useEffect(() => {
    if (client || equal(applied.current, options)) return;
    // those that are gone are as if they had never been given
    const gone = Object.fromEntries(Object.keys(applied.current ?? {}).map((name) => [name, undefined]));
    applied.current = options;
    getClient(options?.name)?.setConfig({ ...gone, ...options });
  });

  return <ScopeContext.Provider value={scope}>{children}</ScopeContext.Provider>;
}
