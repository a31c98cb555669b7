export { sharingEntry, stopSharing } from './stop-sharing.js';
export { SHARED_COLUMN, type SharedObject } from './store.js';
