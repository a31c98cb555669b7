import { type ReactNode, useState } from 'react';
import { ClientProvider } from './client-provider.js';
import { createTestAnalytics, type TestAnalytics, type TestAnalyticsSettings } from './test-analytics.js';

/** Flags as a plain map, or a client for tests that is made already. */
export interface TestAnalyticsProviderProps extends TestAnalyticsSettings {
  /** To look at the events and to change flags later; else one is made of `flags` and `payloads`. */
  analytics?: TestAnalytics;
  children?: ReactNode;
}

/**
 * The provider for tests and stories.
 *
 * @example
 * ```tsx
 * <TestAnalyticsProvider flags={{ layout: 'test' }} payloads={{ layout: { columns: 3 } }}>
 *   <Products />
 * </TestAnalyticsProvider>
 * ```
 */
export function TestAnalyticsProvider({ analytics, children, ...settings }: TestAnalyticsProviderProps): ReactNode {
  const [own] = useState(() => analytics ?? createTestAnalytics(settings));
  return <ClientProvider client={(analytics ?? own).client}>{children}</ClientProvider>;
}
