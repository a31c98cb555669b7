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

/** Why an event was lost. */
export type Loss = 'queue_overflow' | 'expired' | 'refused' | 'too_large' | 'rate_limited' | 'before_send' | 'shutdown';
