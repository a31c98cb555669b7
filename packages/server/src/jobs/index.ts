export { createFlusher, type Flusher } from './flusher.js';
export { type Job, type JobKind, JobTimeout, NoUseTryingAgain } from './job.js';
export { tellOnce } from './log-once.js';
export { purgeBlobs, purgeEvents, purgePersons } from './purge.js';
export { repeat, repeatInTurn } from './repeat.js';
export { type Jobs, startJobs } from './runner.js';
export { insertJob } from './store.js';
