/** The errors of the REST API by code: status, `type` and default `detail` of the error body. */
export const ERRORS = {
  not_authenticated: [401, 'authentication_error', 'Authentication credentials were not provided.'],
  authentication_failed: [401, 'authentication_error', 'Incorrect authentication credentials.'],
  permission_denied: [403, 'authentication_error', 'You do not have permission to perform this action.'],
  too_many_failed_attempts: [403, 'authentication_error', 'Too many failed login attempts. Please try again in 10 minutes.'],
  not_found: [404, 'invalid_request', 'Not found.'],
  method_not_allowed: [405, 'invalid_request', 'Method not allowed.'],
  not_acceptable: [406, 'invalid_request', 'Could not satisfy the request Accept header.'],
  request_timeout: [408, 'invalid_request', 'The request did not arrive in time.'],
  request_too_large: [413, 'invalid_request', 'Request body is too large.'],
  unsupported_media_type: [415, 'invalid_request', 'Unsupported media type in request.'],
  headers_too_large: [431, 'invalid_request', 'The address and the headers of the request are too large.'],
  parse_error: [400, 'invalid_request', 'Malformed request.'],
  invalid_input: [400, 'validation_error', 'Invalid input.'],
  invalid_credentials: [400, 'validation_error', 'Invalid email or password.'],
  required: [400, 'validation_error', 'This field is required.'],
  null: [400, 'validation_error', 'This field may not be null.'],
  blank: [400, 'validation_error', 'This field may not be blank.'],
  max_length: [400, 'validation_error', 'Ensure this field has no more characters.'],
  invalid_choice: [400, 'validation_error', 'Not a valid choice.'],
  not_a_list: [400, 'validation_error', 'Expected a list of items.'],
  does_not_exist: [400, 'validation_error', 'Object does not exist.'],
  incorrect_type: [400, 'validation_error', 'Incorrect type.'],
  invalid_key: [400, 'validation_error', 'Only letters, numbers, hyphens (-) & underscores (_) are allowed.'],
  export_failed: [400, 'invalid_request', 'This export could not be made.'],
  export_not_ready: [425, 'invalid_request', 'This export is still being made. Try again shortly.'],
  conflict: [409, 'invalid_request', 'Somebody else has changed this meanwhile. Please refresh and try again.'],
  unique: [400, 'validation_error', 'This value is already in use.'],
  incorrect_password: [400, 'validation_error', 'Your current password is incorrect.'],
  expired: [400, 'validation_error', 'This invite has expired. Please ask your admin for a new one.'],
  invalid_recipient: [400, 'validation_error', 'This invite is intended for another email address.'],
  account_exists: [400, 'validation_error', 'There already exists an account with this email address. Please log in instead.'],
  password_too_short: [400, 'validation_error', 'This password is too short. It must contain at least 8 characters.'],
  password_too_weak: [400, 'validation_error', 'This password is too weak.'],
  throttled: [429, 'throttled_error', 'Request was throttled.'],
  error: [500, 'server_error', 'A server error occurred.'],
  unavailable: [503, 'server_error', 'The service is temporarily unavailable. Try again shortly.'],
} as const satisfies Record<string, readonly [status: number, type: string, detail: string]>;

export type ErrorCode = keyof typeof ERRORS;

/** The body of every REST error. */
export interface ErrorBody {
  type: string;
  code: string;
  detail: string;
  attr: string | null;
  extra?: Record<string, unknown>;
}

/** An error of {@link ERRORS}. Any module may throw it; the error handler turns it into a response. */
export class ApiError extends Error {
  readonly status: number;
  readonly body: ErrorBody;
  constructor(
    readonly code: ErrorCode,
    detail?: string,
    /** The field at fault (nested names joined by `__`), or null for the whole request. */
    attr: string | null = null,
    /** Seconds for a `Retry-After` header. */
    readonly retryAfter?: number,
  ) {
    const [status, type, text] = ERRORS[code];
    super(detail ?? text);
    this.name = 'ApiError';
    this.status = status;
    this.body = { type, code, detail: detail ?? text, attr };
  }
}

/** What a thrown value says, for a log, a report or another sentence. */
export const sentenceOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
