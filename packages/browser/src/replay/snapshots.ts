import type { Timers } from '@tidemark/client';

export interface Snapshots {
  add(snapshot: unknown): void;
  /** Removes and returns all events as JSON texts; none unless `isReady`. */
  take(): { items: string[]; size: number };
  /** Delivers now, if `isReady`. */
  flush(): void;
  end(): void;
}

export interface SnapshotPorts {
  /** Whether events may be delivered. */
  isReady(): boolean;
  deliver(items: string[], size: number): void;
  /** Too many events waited and were dropped. */
  overflow(): void;
}

const DELIVER_AFTER_MS = 2000;
const BATCH_SIZE = 900_000;
/** Limit of waiting events in characters. */
const MAX_WAITING = 4_000_000;
/** Longest time in which a slice blocks the page. */
const SLICE_MS = 8;

/** Serializes events of the recorder in short slices, and delivers them in batches. */
export function createSnapshots(timers: Timers, { isReady, deliver, overflow }: SnapshotPorts): Snapshots {
  let raw: unknown[] = [];
  let items: string[] = [];
  let size = 0;
  let since = 0;
  let timer: unknown;
  let ended = false;

  const schedule = (milliseconds: number) => {
    if (!ended) timer ??= timers.set(tick, milliseconds);
  };
  const toText = (budgetMs: number) => {
    const until = performance.now() + budgetMs;
    let done = 0;
    while (done < raw.length) {
      const text = JSON.stringify(raw[done++]);
      items.push(text);
      size += text.length;
      if (size >= BATCH_SIZE) cut();
      if (performance.now() > until) break;
    }
    raw = done < raw.length ? raw.slice(done) : [];
  };
  const cut = () => {
    if (isReady()) {
      if (items.length) deliver(items, size);
    } else if (size < MAX_WAITING) return;
    else timers.set(overflow, 0);
    items = [];
    size = 0;
  };
  const tick = () => {
    timer = undefined;
    toText(SLICE_MS);
    if (raw.length) return schedule(0);
    if (performance.now() - since >= DELIVER_AFTER_MS - 50) cut();
    if (items.length) schedule(DELIVER_AFTER_MS);
  };
  const takeAll = () => {
    toText(Number.POSITIVE_INFINITY);
    if (!isReady()) return { items: [], size: 0 };
    const taken = { items, size };
    items = [];
    size = 0;
    return taken;
  };

  return {
    add(snapshot) {
      if (!raw.length && !items.length) since = performance.now();
      raw.push(snapshot);
      schedule(DELIVER_AFTER_MS);
    },
    take: takeAll,
    flush() {
      const taken = takeAll();
      if (taken.items.length) deliver(taken.items, taken.size);
    },
    end() {
      ended = true;
      timers.clear(timer);
      raw = [];
      items = [];
    },
  };
}
