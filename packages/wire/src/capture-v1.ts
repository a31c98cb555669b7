/** Request headers that `POST /i/v1/analytics/events` needs, besides `User-Agent`. */
export interface CaptureV1Headers {
  /** `Bearer <project key>` */
  authorization: string;
  'content-type': string;
  /** `<lib>/<version>` */
  'posthog-sdk-info': string;
  /** Whole number from 1. */
  'posthog-attempt': string;
  /** UUID, the same on retries. */
  'posthog-request-id': string;
  /** RFC 3339, new on each attempt. */
  'posthog-request-timestamp': string;
}

export interface CaptureV1Event {
  event: string;
  uuid: string;
  distinct_id: string;
  /** RFC 3339. */
  timestamp: string;
  session_id?: string;
  window_id?: string;
  options: CaptureV1Options;
  properties?: Record<string, unknown>;
}

export interface CaptureV1Options {
  cookieless_mode?: boolean;
  disable_skew_correction?: boolean;
  /** Older name of `disable_skew_correction`. */
  disable_skew_adjustment?: boolean;
  process_person_profile?: boolean;
  product_tour_id?: string;
}

export interface CaptureV1Request {
  /** RFC 3339. */
  created_at: string;
  historical_migration?: boolean;
  batch: CaptureV1Event[];
}

/** Clients send `retry` again, report `drop`, and count everything else as done. */
export interface CaptureV1Result {
  result: 'ok' | 'warning' | 'drop' | 'limited' | 'retry';
  details?: string;
}

export interface CaptureV1Response {
  /** By the event's uuid as it was sent. */
  results: Record<string, CaptureV1Result>;
}

export type CaptureV1ErrorTag =
  | 'missing_required_headers'
  | 'invalid_header_value'
  | 'request_decoding_error'
  | 'request_parsing_error'
  | 'empty_body'
  | 'empty_batch'
  | 'invalid_batch'
  | 'missing_event_uuid'
  | 'duplicate_event_uuid'
  | 'invalid_api_token'
  | 'billing_limit_exceeded'
  | 'not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'body_read_timeout'
  | 'payload_too_large'
  | 'unsupported_content_type'
  | 'unsupported_encoding'
  | 'rate_limited'
  | 'internal_error'
  | 'service_unavailable'
  | 'gateway_timeout';

/** The body of a refused v1 request. */
export interface CaptureV1Error {
  error: CaptureV1ErrorTag;
  error_description: string;
  error_uri: string;
}

/** Why one event of an accepted v1 request was dropped. Later versions may add values. */
export type CaptureV1DropTag =
  | 'dropped_performance_event'
  | 'missing_event_name'
  | 'event_name_too_long'
  | 'missing_distinct_id'
  | 'distinct_id_too_large'
  | 'invalid_distinct_id'
  | 'invalid_event_timestamp'
  | 'malformed_event_properties'
  | 'message_size_too_large';
