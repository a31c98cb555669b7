import type { Changes } from '../ports/changes.js';

/** A source of changes without notifications, so that responses are not cached. */
export const noChanges: Changes = { onChange: () => {}, isListening: () => false };
