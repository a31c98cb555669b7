export { allowEveryOrigin, closeMethods } from './cors.js';
export { createDecode, type Decode, type Decoding } from './decoding.js';
export { distinctIdText, isIllegalDistinctId, isOver200Bytes } from './distinct-id.js';
export { type Encoding, inflate } from './payload/inflate.js';
export { EVENT_LIMITS, MAX_EVENT, parseJson } from './payload/parse-json.js';
export { parseText } from './payload/parse-text.js';
export { type RawRequest, readPayload } from './payload/read-payload.js';
export { skipSpace, ValueSkipper } from './payload/value-skipper.js';
export { createZstd, type Zstd } from './payload/zstd.js';
export { clientAddress, leaveBodiesUnread, queryText, rawRequest, readBytes } from './request.js';
export {
  answerPlainErrors,
  closeIfUnread,
  errorResponses,
  isFrameworkError,
  isTemporary,
  QueueFull,
  RETRY_AFTER,
  SdkError,
  type SdkErrorCode,
  temporarySentence,
} from './sdk-error.js';
export { checkToken, ownToken, requireToken } from './token.js';
