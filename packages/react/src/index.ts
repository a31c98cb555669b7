'use client';
/** Tidemark for React: a provider, hooks for the client and its flags, and components. */
export type { BrowserOptions } from '@tidemark/browser';
export type {
  EventName,
  EventPropertiesOf,
  EventRegistry,
  FlagKey,
  FlagPayloadOf,
  FlagRegistry,
  FlagSnapshot,
  FlagValueOf,
  FlagVariantOf,
} from '@tidemark/client';
export { AnalyticsFeature, type AnalyticsFeatureProps } from './analytics-feature.js';
export { AnalyticsProvider, type AnalyticsProviderProps } from './analytics-provider.js';
export { ErrorBoundary, type ErrorBoundaryProps } from './error-boundary.js';
export { useAnalytics } from './use-analytics.js';
export { type UseFeatureResult, useFeature } from './use-feature.js';
export {
  useActiveFeatureFlags,
  useFeatureFlagEnabled,
  useFeatureFlagPayload,
  useFeatureFlagVariantKey,
  useFlag,
} from './use-flag.js';
