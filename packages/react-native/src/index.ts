/** Tidemark for React Native: the client, hooks and a component for its flags, screens and taps. */
export type {
  Client,
  EventName,
  EventPropertiesOf,
  EventRegistry,
  Feature,
  FlagKey,
  FlagPayloadOf,
  FlagRegistry,
  FlagSnapshot,
  FlagValueOf,
  FlagVariantOf,
  OpenSurvey,
  SurveyAnswer,
  SurveyStep,
  Surveys,
  SurveysOptions,
} from '@tidemark/client';
export { surveys } from '@tidemark/client';
export {
  AnalyticsProvider,
  type AnalyticsProviderProps,
  ErrorBoundary,
  type ErrorBoundaryProps,
  type UseFeatureResult,
  useActiveFeatureFlags,
  useAnalytics,
  useFeature,
  useFeatureFlagEnabled,
  useFeatureFlagPayload,
  useFeatureFlagVariantKey,
  useFlag,
} from '@tidemark/react/slim';
export { AnalyticsFeature, type AnalyticsFeatureProps } from './analytics-feature.js';
export { init } from './init.js';
export { createNativeClient, type NativeClient } from './native-client.js';
export type { Surroundings } from './native-platform.js';
export type { GivenOptions } from './option-names.js';
export type { ReactNativeOptions } from './options.js';
export type { AppInfo, AppStatePort, NetworkPort, Ports, RecorderPort, RecorderSettings, StoragePort } from './ports.js';
export { type PosthogPlugin, posthogPlugin, type RecordingOptions } from './recording/index.js';
export { TouchAutocapture, type TouchAutocaptureProps } from './touch/touch-autocapture.js';
export { tracedFetch } from './traced-fetch.js';
