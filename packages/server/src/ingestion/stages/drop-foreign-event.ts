import type { Stage } from './event-context.js';

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
