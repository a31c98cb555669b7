export { eventsV0, parseEvents, readEnvelope, V0_PAYLOAD_CAP } from './decode-v0.js';
export { decodeV1, V1_WIRE_CAP, type V1Batch } from './decode-v1.js';
export type { Envelope } from './envelope.js';
export { REPLAY_WIRE_CAP, type ReplayPart, readReplay } from './replay.js';
export { ACCEPTED_ENCODINGS, readV1Head } from './v1-headers.js';
export { V1_STATUS, V1Refusal, v1Tag } from './v1-refusal.js';
