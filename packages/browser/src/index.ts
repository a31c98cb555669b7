/** Tidemark for web pages. */
export type {
  BeforeSend,
  Bootstrap,
  CapturedEvent,
  CaptureOptions,
  Client,
  EventName,
  EventPropertiesOf,
  EventRegistry,
  Feature,
  FlagKey,
  FlagPayloadOf,
  FlagReadOptions,
  FlagRegistry,
  FlagResult,
  FlagSnapshot,
  FlagValue,
  FlagValueOf,
  OpenSurvey,
  Properties,
  SurveyAnswer,
  SurveyStep,
  Surveys,
  SurveysOptions,
} from '@tidemark/client';
export { type AutocaptureOptions, autocapture } from './autocapture/index.js';
export { type DeadClickOptions, deadClicks } from './dead-clicks/index.js';
export { type EarlyAccess, type EarlyAccessFeature, earlyAccess } from './early-access/index.js';
export { type ExceptionOptions, exceptions } from './errors/index.js';
export { init } from './init.js';
export { getClient, whenInitialized } from './instances.js';
export { type AnySpelling, anySpelling } from './option-names/index.js';
export type { BrowserOptions, Persistence } from './options.js';
export { type PageviewOptions, pageviews } from './pages/index.js';
export { type PosthogNames, withPosthogNames } from './posthog-names.js';
export { type ReplayOptions, replay } from './replay/index.js';
export { type PageSurveysOptions, type SurveyLabels, surveys } from './surveys/index.js';
export { tracedFetch } from './tracing/index.js';
export { type WebVital, type WebVitalsOptions, webVitals } from './vitals/index.js';
