export type { Intake } from './capture.js';
export { type Along, changeGroup, createGroup, createGroupTypes, type GroupTypes } from './groups/index.js';
export { deletePerson } from './identities/delete-person.js';
export { createPropertyCache, type PropertyCache } from './identities/index.js';
export { createIntake } from './intake.js';
export { chunkKey, recordingPrefix } from './replay/index.js';
export { registerCapture } from './routes/index.js';
export { sweepEventLocks } from './writer/event-locks.js';
export { createOutboxSweep, recoverOutbox } from './writer/outbox.js';
