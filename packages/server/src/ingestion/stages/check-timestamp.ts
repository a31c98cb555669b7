import { type Stage, warn } from './event-context.js';

/** Skewed clocks and latency explain up to an hour; beyond that the client sets its timestamps wrongly. */
const TOLERATED_FUTURE_MS = 60 * 60 * 1000;

/** An event from the future is stored unchanged, with a warning. One from before 1970 moves to 1970, where ClickHouse dates begin. */
export const checkTimestamp: Stage = {
  name: 'check-timestamp',
  run: (context) => {
    if (context.timestamp < 0) context.timestamp = 0;
    if (context.timestamp > context.receivedAt + TOLERATED_FUTURE_MS) {
      warn(context, 'event_timestamp_in_future', { timestamp: context.timestamp, now: context.receivedAt });
    }
    return undefined;
  },
};
