/** One event as SDKs send it. Unknown fields are accepted and ignored. */
export interface CaptureEvent {
  /** Required, except on `/engage` where it defaults to `$identify`. */
  event?: string;
  /** Text, or any JSON value, which the service stores as compact JSON. Falls back to `properties.distinct_id`. */
  distinct_id?: unknown;
  /** Other name of `distinct_id`. */
  $distinct_id?: unknown;
  /** Project key. Falls back to `$token`, `api_key`, `properties.token`. */
  token?: string;
  $token?: string;
  api_key?: string;
  /** Identifies the event across retries; the service generates one when absent or empty. */
  uuid?: string | null;
  properties?: Record<string, unknown> | null;
  /** ISO 8601 preferred. */
  timestamp?: string | number | null;
  /** Milliseconds between the event and the request; overrides `timestamp`. */
  offset?: number | null;
  $set?: Record<string, unknown> | null;
  $set_once?: Record<string, unknown> | null;
  /** Per event only on `/s/`. */
  sent_at?: string;
}

/** Several events of one project in one request. */
export interface CaptureBatch {
  /** Project key; `token` is its other name. */
  api_key?: string;
  token?: string;
  batch: CaptureEvent[];
  historical_migration?: boolean;
  /** ISO 8601: the client's clock when it sent the request. */
  sent_at?: string;
}

/** A request body of the v0 paths, after decompression. */
export type CaptureRequest = CaptureEvent | CaptureEvent[] | CaptureBatch;

/** The success body of the v0 paths. Errors are `text/plain`. */
export interface CaptureResponse {
  status: 'Ok';
  /** Data types that clients must stop sending for a minute. */
  quota_limited?: ('events' | 'recordings')[];
}
