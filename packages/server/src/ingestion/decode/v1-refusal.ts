import type { CaptureV1ErrorTag } from '@tidemark/wire';
import type { SdkErrorCode } from '../../http/sdk/index.js';

/** HTTP statuses by error tag of the v1 protocol. */
export const V1_STATUS = {
  missing_required_headers: 400,
  invalid_header_value: 400,
  request_decoding_error: 400,
  request_parsing_error: 400,
  empty_body: 400,
  empty_batch: 400,
  invalid_batch: 400,
  missing_event_uuid: 400,
  duplicate_event_uuid: 400,
  invalid_api_token: 401,
  billing_limit_exceeded: 402,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  body_read_timeout: 408,
  payload_too_large: 413,
  unsupported_content_type: 415,
  unsupported_encoding: 415,
  rate_limited: 429,
  internal_error: 500,
  service_unavailable: 503,
  gateway_timeout: 504,
} as const satisfies Record<CaptureV1ErrorTag, number>;

/** Error of a whole v1 request. */
export class V1Refusal extends Error {
  override name = 'V1Refusal';
  constructor(
    readonly tag: CaptureV1ErrorTag,
    sentence: string,
  ) {
    super(sentence);
  }
}

const TAGS: Partial<Record<SdkErrorCode, CaptureV1ErrorTag>> = {
  missing_payload: 'empty_body',
  bad_compression: 'request_decoding_error',
  bad_utf8: 'request_decoding_error',
  no_token: 'invalid_api_token',
  malformed_token: 'invalid_api_token',
  unknown_token: 'invalid_api_token',
  empty_batch: 'empty_batch',
  body_timeout: 'body_read_timeout',
  payload_too_large: 'payload_too_large',
  event_too_large: 'payload_too_large',
  overloaded: 'service_unavailable',
};

/** The v1 tag of an error that both protocols share. */
export const v1Tag = (code: SdkErrorCode): CaptureV1ErrorTag => TAGS[code] ?? 'request_parsing_error';
