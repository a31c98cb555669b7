import { vi } from 'vitest';

/** Fake IntersectionObservers for an environment without layout; tests set what is visible. */
let created: { options: IntersectionObserverInit | undefined; callback: IntersectionObserverCallback; targets: Set<Element> }[] =
  [];

export function startObserving(): void {
  created = [];
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      readonly #targets = new Set<Element>();
      constructor(callback: IntersectionObserverCallback, options?: IntersectionObserverInit) {
        created.push({ options, callback, targets: this.#targets });
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

/** All observers created so far, in order. */
export function observers() {
  return created;
}

/** Notifies the observers of an element that this share (0 to 1) of it is visible. */
export function seen(element: Element | null, ratio: number): void {
  if (!element) throw new Error('There is no such element.');
  for (const { callback, targets } of created) {
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
    callback([entry], observer);
  }
}
