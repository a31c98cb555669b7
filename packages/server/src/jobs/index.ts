export { createFlusher } from './flusher.js';
export { type BackgroundKinds, type Job, JobTimeout, type QueueKind, type ScheduleKind, UnrecoverableError } from './kinds.js';
export { createLeases } from './leases.js';
export { createRunner, type Runner } from './runner.js';
export { FAR_AHEAD_MS, insertJob } from './store.js';
