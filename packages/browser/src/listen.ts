/** Listens until the function given back is called. */
export function listen(
  target: EventTarget,
  type: string,
  listener: (event: Event) => void,
  options?: boolean | AddEventListenerOptions,
): () => void {
  target.addEventListener(type, listener, options);
  return () => target.removeEventListener(type, listener, options);
}
