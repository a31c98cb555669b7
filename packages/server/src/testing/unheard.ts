import type { Changes } from '../ports/changes.js';

/** Nothing is heard of changes, so nothing is kept. */
export const unheard: Changes = { onChange: () => {}, heard: () => false };
