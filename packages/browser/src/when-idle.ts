/** Runs when the page has nothing else to do, or after a second: some pages always have. */
export const whenIdle = (run: () => void): unknown =>
  (globalThis.requestIdleCallback ?? ((later: () => void) => setTimeout(later)))(run, { timeout: 1e3 });
