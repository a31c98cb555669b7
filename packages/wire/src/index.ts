/** The wire format between SDKs and the service, as types only. */
export type { CaptureBatch, CaptureEvent, CaptureRequest, CaptureResponse } from './capture-v0.js';
export type {
  CaptureV1DropTag,
  CaptureV1Error,
  CaptureV1ErrorTag,
  CaptureV1Event,
  CaptureV1Headers,
  CaptureV1Options,
  CaptureV1Request,
  CaptureV1Response,
  CaptureV1Result,
} from './capture-v1.js';
export type { DecideResponse, FlagDetail, FlagsRequest, FlagsV1Response, FlagsV2Response, WithConfig } from './flags.js';
export type { RemoteConfig, SessionRecordingConfig, UrlCondition } from './remote-config.js';
export type {
  Survey,
  SurveyAppearance,
  SurveyConditions,
  SurveyQuestion,
  SurveyQuestionType,
  SurveysResponse,
  SurveyTranslations,
  SurveyUrlMatch,
} from './surveys.js';
