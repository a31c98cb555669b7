import type { Stage } from './draft.js';

/** Very old SDKs sent their performance entries as events; nothing reads them any more. */
export const dropPerformanceEvent: Stage = {
  name: 'drop-performance-event',
  run: (draft) =>
    draft.event === '$performance_event'
      ? { reason: 'performance_event', details: 'dropped_performance_event', result: 'drop' }
      : undefined,
};
