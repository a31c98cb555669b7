/** Runs when the page has nothing else to do, or after a second. */
export const whenIdle = (run: () => void): void => {
  const { requestIdleCallback: ask } = globalThis as { requestIdleCallback?: typeof requestIdleCallback };
  ask ? ask(run, { timeout: 1e3 }) : setTimeout(run);
};
