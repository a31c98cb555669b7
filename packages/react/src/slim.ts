'use client';
/** The bindings without the browser client, for applications that pass a client, such as React Native. */
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
export { ClientProvider as AnalyticsProvider, type ClientProviderProps as AnalyticsProviderProps } from './client-provider.js';
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
