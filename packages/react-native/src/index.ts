/** Tidemark for React Native: the client, hooks for its flags, screens and taps. */
export type {
  Client,
  FlagKey,
  FlagPayloadOf,
  FlagRegistry,
  FlagSnapshot,
  FlagValueOf,
  FlagVariantOf,
} from '@tidemark/client';
export {
  AnalyticsProvider,
  type AnalyticsProviderProps,
  ErrorBoundary,
  type ErrorBoundaryProps,
  useActiveFeatureFlags,
  useAnalytics,
  useFeatureFlagEnabled,
  useFeatureFlagPayload,
  useFeatureFlagVariantKey,
  useFlag,
} from '@tidemark/react/slim';
export { init } from './init.js';
export { createNativeClient, type NativeClient } from './native-client.js';
export type { Surroundings } from './native-platform.js';
export type { ReactNativeOptions } from './options.js';
export type { AppInfo, AppStatePort, NetworkPort, Ports, StoragePort } from './ports.js';
export { TouchAutocapture, type TouchAutocaptureProps } from './touch/touch-autocapture.js';
