type Deliver = (changes: Change[]) => void;

/** The part of a `MutationRecord` for added and removed nodes that the recorder reads. */
export interface Change {
  type: 'childList';
  target: Node;
  addedNodes: ArrayLike<Node>;
  removedNodes: ArrayLike<Node>;
}

/** Access to the recorder's observer of the document. */
export interface ObservedChanges {
  /** Passes changes to the recorder as if the page had made them; undefined where the recorder has another observer. */
  deliver: Deliver | undefined;
  /** Replaces the changes that the recorder gets. */
  filter(changes: MutationRecord[]): (MutationRecord | Change)[];
}

let current: ObservedChanges | undefined;
let isInstalled = false;

/**
 * Starts the recorder, which creates its observer of the document then. rrweb reads the constructor from the page once, and tests its `toString()`
 * for `[native code]`, a test that a bound class passes. Where a page has replaced the constructor, rrweb takes one from a frame, and `deliver`
 * stays undefined.
 */
export function observing<Result>(changes: ObservedChanges, start: () => Result): Result {
  current = changes;
  if (isInstalled) return start();
  isInstalled = true;
  const Native = globalThis.MutationObserver;
  class Watched extends Native {
    readonly #callback: MutationCallback;
    /** It observes the document, not a frame or a shadow root. */
    #isMain = false;
    constructor(callback: MutationCallback) {
      super((records, observer) => Reflect.apply(callback, observer, [(this.#isMain && current?.filter(records)) || records]));
      this.#callback = callback;
    }
    override observe(target: Node, options?: MutationObserverInit): void {
      this.#isMain = target === document;
      if (this.#isMain && current) current.deliver = (records) => Reflect.apply(this.#callback, this, [records]);
      super.observe(target, options);
    }
  }
  try {
    Reflect.set(globalThis, 'MutationObserver', { prototype: { constructor: Watched.bind(undefined) } });
    return start();
  } finally {
    Reflect.set(globalThis, 'MutationObserver', Native);
  }
}
