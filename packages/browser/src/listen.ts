const listening = new Set<() => void>();
let watching: MutationObserver | undefined;

/**
 * Listens to events of the types until the function that it returns is called. `document.open` and `document.write` remove all listeners of a page that has loaded, but no
 * observers: the listeners are added again once the page has its new content.
 */
export function listen(
  target: EventTarget,
  types: readonly string[],
  listener: (event: Event) => void,
  options?: boolean | AddEventListenerOptions,
): () => void {
  // adding a listener that is still there changes nothing
  const add = () => {
    for (const type of types) target.addEventListener(type, listener, options);
  };
  add();
  listening.add(add);
  if (!watching) {
    watching = new MutationObserver(() => {
      for (const addAgain of listening) addAgain();
    });
    watching.observe(document, { childList: true });
  }
  return () => {
    listening.delete(add);
    for (const type of types) target.removeEventListener(type, listener, options);
  };
}
