'use client';
/** For tests of components that use Tidemark: a provider with a plain map of flags and a list of what was captured. */
export {
  createTestAnalytics,
  type TestAnalytics,
  type TestAnalyticsSettings,
  type TestFlags,
  type TestPayloads,
} from './test-analytics.js';
export { TestAnalyticsProvider, type TestAnalyticsProviderProps } from './test-analytics-provider.js';
