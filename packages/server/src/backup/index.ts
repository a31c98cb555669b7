export { isFull } from './files.js';
export { makeBackup, type Stores } from './make-backup.js';
export { listBackups, type Manifest, readManifest } from './manifest.js';
export { schemaVersions, sourceId } from './metadata-store.js';
export { type MoveResult, move } from './move.js';
export { readRequest, readScheduled, requestBackup } from './requests-store.js';
export { requireEmpty, requireRestorable, restore } from './restore.js';
export { serveBackupRequests, summaryOf } from './serve-requests.js';
export { readUnfinished, removeUnfinished, writeUnfinished } from './unfinished-copy.js';
