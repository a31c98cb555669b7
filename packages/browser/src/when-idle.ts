/** Runs when the page has nothing else to do, or after a second. */
export const whenIdle: (run: () => void) => void = (run) =>
  (globalThis.requestIdleCallback ?? setTimeout)(run, { timeout: 1e3 } as IdleRequestOptions & number);
