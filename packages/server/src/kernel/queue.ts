/** First in, first out. Adding an item and taking one take the same time however many wait. */
export interface Queue<T> {
  push(item: T): void;
  /** Takes the first so many, or as many as there are. */
  take(count: number): T[];
  first(): T | undefined;
  length(): number;
  /** Those that wait, in order. */
  items(): Iterable<T>;
}

/** Items that were taken and stand before the first, at most; and their share of the list. */
const MOST_TAKEN = 1_000;
const SHARE = 0.5;

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
      } else if (start > MOST_TAKEN && start > list.length * SHARE) {
        // each item is moved once for each that was taken, on average
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
