/** The core under every client library: identity, sessions, queue, consent, flags. */

export { runBeforeSend } from './before-send.js';
export type {
  Client,
  ClientEvents,
  ClientInternals,
  ConsentStatus,
  Feature,
  IdentityChange,
  IdentityMethods,
  RequestSettings,
  ResetOptions,
  SessionChange,
  SuperPropertyMethods,
} from './client.js';
export { copied } from './copied.js';
export { createClient } from './create-client.js';
export type { CapturedEvent, CaptureOptions, Loss, Properties } from './event.js';
export { eventJson } from './event-json.js';
export type { EventName, EventPropertiesOf, EventRegistry } from './event-registry.js';
export { eventTime, isUuid } from './event-time.js';
export {
  type ExceptionContext,
  type ExceptionEntry,
  exceptionProperties,
  type Mechanism,
  type StackSettings,
} from './exceptions/exception-list.js';
export { exceptions } from './exceptions/exceptions.js';
export type { StackFrame } from './exceptions/stack.js';
export { type FlagsAnswer, flagsFromValues, type KnownFlag, parseFlagsAnswer } from './flags/answer.js';
export { createBootstrapStore } from './flags/bootstrap-store.js';
export { type CalledTracker, calledKey, calledProperties, createCalledTracker, keepMinimal } from './flags/called.js';
export { flags } from './flags/flags.js';
export { requestFlags } from './flags/request.js';
export type {
  FlagKey,
  FlagMethods,
  FlagPayloadOf,
  FlagReadOptions,
  FlagRegistry,
  FlagResult,
  FlagSnapshot,
  FlagSource,
  FlagStatus,
  FlagStore,
  FlagsListener,
  FlagValue,
  FlagValueOf,
  FlagVariantOf,
} from './flags/types.js';
export { withoutFlags } from './flags/without-flags.js';
export { parseIdentity, type StoredIdentity } from './identity.js';
export { decodeCookie, encodeCookie, identityCookieName } from './identity-cookie.js';
export { isRecord, textsOf } from './is-record.js';
export { type ClientLog, createLog } from './log.js';
export { withMessages } from './messages.js';
export { type OptionNames, readOptions, type Spellings } from './option-names.js';
export type { BeforeSend, Bootstrap, ClientOptions, Paths, PersonProfiles } from './options.js';
export type { HttpAnswer, HttpRequest, Log, Platform, PlatformAbortSignal, Store, Timers } from './platform.js';
export { createQueue, type Delivery, type Queue, type QueueLimits, type QueuePorts } from './queue.js';
export { appControls } from './replay-controls.js';
export {
  addEarlyEvent,
  createReplayDecisions,
  type RecordedSession,
  type ReplayBeginnings,
  type ReplayDecisions,
  type ReplayPorts,
  type ReplayRecording,
} from './replay-decisions.js';
export { resume } from './resume.js';
export { batchJson, deliveryOf, type SendSettings, send } from './sender.js';
export type { Slot } from './slots.js';
export { type OpenSurvey, openSurvey, type SurveyAnswer, type SurveyStep } from './surveys/open-survey.js';
export { type Surveys, type SurveysOptions, type SurveysPorts, surveys } from './surveys/surveys.js';
export { createTracing } from './tracing.js';
export { utf8Length } from './utf8-length.js';
export { uuid7Maker } from './uuid7.js';
