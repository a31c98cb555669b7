export { createHistoryReader, type ReadHistory } from './history.js';
export { REPLAY_WIRE_CAP, type ReplayPart, readReplay } from './replay.js';
export { eventsV0, parseEvents, readEnvelope, V0_PAYLOAD_CAP } from './v0.js';
export { ACCEPTED_ENCODINGS, decodeV1, readV1Head, V1_STATUS, V1_WIRE_CAP, type V1Batch, V1Refusal, v1Tag } from './v1.js';
