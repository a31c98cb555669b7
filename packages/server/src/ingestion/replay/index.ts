export { chunkKey, recordingPrefix, storeReplay } from './store-replay.js';
