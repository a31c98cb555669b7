import { type EventContext, type Stage, warn } from './event-context.js';

/**
 * Drops what is no analytics event: performance entries of very old SDKs, which nothing reads any more, and snapshots of recordings, which
 * have an endpoint of their own.
 */
export const dropForeignEvent: Stage = {
  name: 'drop-foreign-event',
  run: ({ event }) => {
    if (event === '$performance_event')
      return { reason: 'performance_event', details: 'dropped_performance_event', result: 'drop' };
    if (event === '$snapshot') return { reason: 'snapshot', details: 'dropped_snapshot', result: 'drop' };
    return undefined;
  },
};

/** A warning of the SDK goes to the list of ingestion warnings, not to the events. */
export const dropClientWarning: Stage = {
  name: 'drop-client-warning',
  run: (context) => {
    if (context.event !== '$$client_ingestion_warning') return undefined;
    const message = context.properties.$$client_ingestion_warning_message;
    warn(context, 'client_ingestion_warning', { message: typeof message === 'string' ? message.slice(0, 2000) : null });
    return { reason: 'client_ingestion_warning', details: 'client_ingestion_warning', result: 'warning' };
  },
};

const NEEDS_PERSON = new Set(['$identify', '$create_alias', '$merge_dangerously', '$groupidentify']);

/** With `$process_person_profile: false` an event changes no person: events for that purpose are rejected, `$set` and the like are removed. */
export const checkPersonProcessing: Stage = {
  name: 'check-person-processing',
  run: (context) => {
    const { properties } = context;
    if (properties.$process_person_profile !== false) return undefined;
    if (NEEDS_PERSON.has(context.event)) {
      warn(context, 'invalid_event_when_process_person_profile_is_false');
      return { reason: 'person_processing_required', details: 'person_processing_required', result: 'drop' };
    }
    context.processProfile = false;
    if (properties.$set !== undefined) delete properties.$set;
    if (properties.$set_once !== undefined) delete properties.$set_once;
    if (properties.$unset !== undefined) delete properties.$unset;
    return undefined;
  },
};

/** Skewed clocks and latency explain up to an hour; beyond that the client sets its timestamps wrongly. */
const TOLERATED_FUTURE_MS = 60 * 60 * 1000;

/** An event from the future is stored unchanged, with a warning. One from before 1970 moves to 1970, where ClickHouse dates begin. */
export const checkTimestamp = {
  name: 'check-timestamp',
  run: (context: EventContext) => {
    if (context.timestamp < 0) context.timestamp = 0;
    if (context.timestamp > context.receivedAt + TOLERATED_FUTURE_MS) {
      warn(context, 'event_timestamp_in_future', { timestamp: context.timestamp, now: context.receivedAt });
    }
    return undefined;
  },
} satisfies Stage;
