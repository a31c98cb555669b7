export { createIntake } from './intake.js';
export { registerCapture } from './routes/index.js';
export { recoverOutbox } from './writer/outbox.js';
