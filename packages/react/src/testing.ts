'use client';
/** For tests of components that use Tidemark: a provider with a map of flags and a list of captured events. */
export {
  createTestAnalytics,
  type TestAnalytics,
  type TestAnalyticsSettings,
  type TestFlags,
  type TestPayloads,
} from './test-analytics.js';
export { TestAnalyticsProvider, type TestAnalyticsProviderProps } from './test-analytics-provider.js';
