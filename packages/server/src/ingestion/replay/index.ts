export { chunkKey, recordingPrefix } from './keys.js';
export { storeReplay } from './store-replay.js';
