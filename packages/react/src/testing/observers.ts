import { vi } from 'vitest';

/** The page's observers, for an environment without layout: tests say what is seen. */
let made: { options: IntersectionObserverInit | undefined; tell: IntersectionObserverCallback; targets: Set<Element> }[] = [];

export function startObserving(): void {
  made = [];
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      readonly #targets = new Set<Element>();
      constructor(tell: IntersectionObserverCallback, options?: IntersectionObserverInit) {
        made.push({ options, tell, targets: this.#targets });
      }
      observe(element: Element) {
        this.#targets.add(element);
      }
      disconnect() {
        this.#targets.clear();
      }
    },
  );
}

/** All that were ever made, in order. */
export function observers() {
  return made;
}

/** Tells those who observe the element how much of it is in view. */
export function seen(element: Element | null, ratio: number): void {
  if (!element) throw new Error('There is no such element.');
  for (const { tell, targets } of made) {
    if (!targets.has(element)) continue;
    const rectangle = new DOMRect(0, 0, 100, 100);
    const entry = {
      target: element,
      isIntersecting: ratio > 0,
      intersectionRatio: ratio,
      time: 0,
      boundingClientRect: rectangle,
      intersectionRect: rectangle,
      rootBounds: null,
    };
    const observer = {
      root: null,
      rootMargin: '',
      scrollMargin: '',
      thresholds: [],
      disconnect() {},
      observe() {},
      unobserve() {},
      takeRecords: () => [],
    };
    tell([entry], observer);
  }
}
