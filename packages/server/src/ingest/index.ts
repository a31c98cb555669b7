export { type Along, changeGroup, createGroup } from './groups/index.js';
export { createIntake } from './intake.js';
export { deletePerson } from './persons/delete-person.js';
export { registerCapture } from './routes/index.js';
export { recoverOutbox } from './writer/outbox.js';
