/** Runs when the page has nothing else to do. */
export const whenIdle: (run: () => void) => void = (run) => (globalThis.requestIdleCallback ?? setTimeout)(run);
