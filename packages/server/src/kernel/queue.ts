/** A first-in, first-out queue. `push` takes constant time, `take` amortized constant time per item. */
export interface Queue<T> {
  push(item: T): void;
  /** Removes and returns the first `count` items, or fewer if the queue is shorter. */
  take(count: number): T[];
  first(): T | undefined;
  length(): number;
  /** The queued items, in order. */
  items(): Iterable<T>;
}

/** The list is compacted once more than this many items, and more than this share of it, have been taken. */
const MIN_TAKEN = 1_000;
const MIN_SHARE = 0.5;

export function createQueue<T>(): Queue<T> {
  let list: T[] = [];
  let start = 0;

  return {
    push: (item) => {
      list.push(item);
    },
    take(count) {
      const taken = list.slice(start, start + count);
      start += taken.length;
      if (start === list.length) {
        list = [];
        start = 0;
      } else if (start > MIN_TAKEN && start > list.length * MIN_SHARE) {
        // on average each taken item costs the move of at most one other
        list = list.slice(start);
        start = 0;
      }
      return taken;
    },
    first: () => list[start],
    length: () => list.length - start,
    *items() {
      for (let at = start; at < list.length; at++) {
        const item = list[at];
        if (item !== undefined) yield item;
      }
    },
  };
}
