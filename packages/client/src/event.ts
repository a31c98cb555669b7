export type Properties = Record<string, unknown>;

/** An event as it is sent. */
export interface CapturedEvent {
  event: string;
  distinct_id: string;
  properties: Properties;
  /** ISO 8601 in UTC. */
  timestamp: string;
  /** Stays the same on every retry, so that the server stores the event once. */
  uuid: string;
}

export interface CaptureOptions {
  /** When it happened: a date, epoch milliseconds, or ISO 8601 with any offset. Default: now. */
  timestamp?: Date | number | string;
  /** Default: a fresh UUID version 7. */
  uuid?: string;
  /** Person properties to set. */
  $set?: Properties | undefined;
  /** Person properties to set where the person has none of that name. */
  $set_once?: Properties | undefined;
  /** Names of person properties to remove. */
  $unset?: string[];
  /** Sends it now instead of with the next batch. */
  send_instantly?: boolean;
}

/**
 * Why events were lost. `queue_overflow`: more than `maxQueueSize` waited. `storage_overflow`: a page ended with more unsent events than storage
 * takes. `recording_overflow`: parts of a recording, not events, for which memory or storage had no space. `expired`: unsent for seven days. `refused`, `too_large`: the service answered so. `shutdown`: not sent before the client was shut down; the next
 * start sends them if they are stored.
 */
export type Loss =
  | 'queue_overflow'
  | 'storage_overflow'
  | 'recording_overflow'
  | 'expired'
  | 'refused'
  | 'too_large'
  | 'rate_limited'
  | 'before_send'
  | 'shutdown';
