import { type Stage, warn } from './draft.js';

/** Clocks and latency explain a little; more than this is a client that sets its times wrongly. */
const TOLERATED_FUTURE_MS = 60 * 60 * 1000;

/** An event from the future is stored as it says, and told about; one from before 1970 is moved to where the engine's days begin. */
export const checkTimestamp: Stage = {
  name: 'check-timestamp',
  run: (draft) => {
    if (draft.timestamp < 0) draft.timestamp = 0;
    if (draft.timestamp > draft.receivedAt + TOLERATED_FUTURE_MS) {
      warn(draft, 'event_timestamp_in_future', { timestamp: draft.timestamp, now: draft.receivedAt });
    }
    return undefined;
  },
};
