export { type Background, createBackground } from './background.js';
export type { CaptureProject } from './capture.js';
export {
  checkToken,
  FLAGS_PAYLOAD_CAP,
  FLAGS_WIRE_CAP,
  type FlagsQuestion,
  parseUuid,
  Refusal,
  readFlagsRequest,
} from './decode/index.js';
export { geoipOf } from './geoip.js';
export { type Along, changeGroup, createGroup } from './groups/index.js';
export { deletePerson } from './identities/delete-person.js';
export { createIntake } from './intake.js';
export { chunkKey, recordingPrefix } from './replay/index.js';
export { clientAddress, queryText } from './routes/context.js';
export { allowEveryOrigin, closeMethods } from './routes/cors.js';
export { registerCapture } from './routes/index.js';
export { createMemory, type Memory } from './routes/memory.js';
export { answerPlainErrors } from './routes/plain-errors.js';
export { leaveBodiesUnread, readBytes } from './routes/read-bytes.js';
export { rawRequest } from './routes/v0.js';
export { recoverOutbox } from './writer/outbox.js';
