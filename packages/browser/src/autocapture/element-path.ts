const MOST_ANCESTORS = 1_000;

export const tagOf = (element: Element): string => element.tagName.toLowerCase();

/** The element that an event happened on, also within open shadow roots; undefined when it was no element. */
export function targetOf(event: Event): Element | undefined {
  const target = event.composedPath()[0];
  const element = target instanceof Text ? target.parentElement : target;
  return element instanceof Element ? element : undefined;
}

/** The element and its ancestors up to the body, shadow hosts included. */
export function pathTo(target: Element): Element[] {
  const path: Element[] = [];
  let element: Element | null = target;
  while (element && element.tagName !== 'HTML' && path.length < MOST_ANCESTORS) {
    path.push(element);
    const parent: Node | null = element.parentNode;
    element = parent instanceof ShadowRoot ? parent.host : element.parentElement;
  }
  return path;
}
