import { record } from '@rrweb/record';
import type { Timers } from '@tidemark/client';
import { type Change, type ObservedChanges, observing } from './observed-changes.js';
import type { Privacy } from './privacy.js';

/** A recording whose snapshots of the whole page are taken a piece at a time. */
export interface PiecemealRecording {
  /** Takes a snapshot of the whole page. */
  takeFull(): void;
  /** Whether a snapshot of the whole page is under way. */
  isTaking(): boolean;
  /** Completes the snapshot at once: the page may end. */
  finish(): void;
  stop(): void;
}

/** An event of the recorder. */
export interface RecordedEvent {
  type: number;
  /** Epoch milliseconds. */
  timestamp: number;
  data: unknown;
}

type Settings = NonNullable<Parameters<typeof record<RecordedEvent>>[0]>;

/** Elements from which on a page is recorded in pieces, and approximate elements of a piece. */
const LARGE = 300;
const PIECE = 60;
/** Longest time in which a slice blocks the page. */
const SLICE_MS = 10;
const INCREMENTAL = 3;
const SCROLL = 3;

/**
 * Records the page, with snapshots in pieces. The first piece leaves out the children of large elements. They are sent afterwards, last child first, as if the page had
 * just inserted them, and the page can run in between. A page that is still loading is recorded in one snapshot once it has loaded, and so is a page
 * that replaced `MutationObserver`.
 * @param take receives each node that the recorder takes, and may remove private data from what is recorded of it
 * @param scrolled receives the scroll positions when the snapshot is complete
 */
export function recordInPieces(
  settings: Settings,
  timers: Timers,
  take: Privacy['hide'],
  scrolled: (event: RecordedEvent) => void,
): PiecemealRecording {
  const { mirror } = record;
  /** Elements with missing children, each with its first recorded child; undefined: none is recorded. */
  const open = new Map<Element, Node | undefined>();
  /** Elements that are scrolled. */
  const scrollers = new Set<Element>();
  let timer: unknown;
  let isOutlining = false;
  const isTaken = (node: Node) => mirror.has(mirror.getId(node));

  const changes: ObservedChanges = {
    deliver: undefined,
    // nodes added to an open element are part of its next piece
    filter: (records) =>
      records.map((one): MutationRecord | Change => {
        const { type, target, removedNodes } = one;
        if (type !== 'childList' || !(target instanceof Element) || !open.has(target)) return one;
        open.set(target, undefined);
        return { type, target, addedNodes: [], removedNodes };
      }),
  };

  /** Takes a snapshot with large parts left open, where the page is large. */
  const outline = <Result>(take: () => Result): Result => {
    open.clear();
    scrollers.clear();
    timers.clear(timer);
    timer = undefined;
    isOutlining = sizeOf(document.body) >= LARGE;
    try {
      return take();
    } finally {
      isOutlining = false;
      if (open.size) timer = timers.set(next, 0);
    }
  };

  // the recorder skips the children of a node with `needBlock`, which it reads after `add`
  mirror.add = (node, serialized) => {
    Object.getPrototypeOf(mirror).add.call(mirror, node, serialized);
    take(node, serialized);
    if (!isOutlining || !(node instanceof Element) || !('needBlock' in serialized) || serialized.needBlock) return;
    noteScrolled(node);
    if (!canBeLeftOpen(node)) return;
    serialized.needBlock = true;
    open.set(node, undefined);
  };

  /** The next piece of an element: the last nodes that are missing; empty when it is complete. */
  const pieceOf = (element: Element): Node[] => {
    const piece: Node[] = [];
    let size = 0;
    // removed meanwhile: if the page inserts it again, the recorder adds it with its content
    if (!element.isConnected || !isTaken(element)) open.delete(element);
    const last = open.get(element);
    let node = last?.parentNode === element ? last.previousSibling : element.lastChild;
    for (; open.has(element) && node && size < PIECE; node = node.previousSibling) {
      if (isTaken(node)) continue;
      piece.unshift(node);
      size += node instanceof Element ? 1 + sizeOf(node) : 1;
    }
    if (piece[0]) open.set(element, piece[0]);
    else open.delete(element);
    return piece;
  };

  const next = (budgetMs = SLICE_MS) => {
    timers.clear(timer);
    timer = undefined;
    const until = performance.now() + budgetMs;
    for (const element of open.keys()) {
      for (let piece = pieceOf(element); piece.length; piece = pieceOf(element)) {
        changes.deliver?.([{ type: 'childList', target: element, addedNodes: piece, removedNodes: [] }]);
        for (const node of piece) {
          if (node instanceof Element) for (const element of [node, ...node.querySelectorAll('*')]) noteScrolled(element);
        }
        if (performance.now() > until) {
          timer = timers.set(next, 0);
          return;
        }
      }
    }
    reportScrolled();
  };

  /** Reports scroll positions again: in a replay, empty elements cannot scroll. */
  const reportScrolled = () => {
    const report = (node: Node, x: number, y: number) => {
      const id = mirror.getId(node);
      if ((x || y) && mirror.has(id)) scrolled({ type: INCREMENTAL, timestamp: Date.now(), data: { source: SCROLL, id, x, y } });
    };
    report(document, scrollX, scrollY);
    for (const element of scrollers) report(element, element.scrollLeft, element.scrollTop);
    scrollers.clear();
  };
  const noteScrolled = (element: Element) => {
    if (element.scrollTop || element.scrollLeft) scrollers.add(element);
  };

  const begin = () => record(settings);
  const end = observing(changes, () => (document.readyState === 'loading' ? begin() : outline(begin)));
  const takeFull = () => {
    mirror.reset();
    if (changes.deliver) outline(() => record.takeFullSnapshot());
    else record.takeFullSnapshot();
  };
  if (open.size && !changes.deliver) {
    open.clear();
    takeFull();
  }
  return {
    takeFull,
    isTaking: () => open.size > 0,
    finish() {
      if (open.size) next(Number.POSITIVE_INFINITY);
    },
    stop() {
      timers.clear(timer);
      open.clear();
      end?.();
      Reflect.deleteProperty(mirror, 'add');
    },
  };
}

const sizeOf = (element: Element | null): number => element?.querySelectorAll('*').length ?? 0;

/** Whether the children of an element can follow later: it is in the page, and no child is larger than a piece. */
function canBeLeftOpen(element: Element): boolean {
  if (!element.firstElementChild || element.shadowRoot || !document.body?.contains(element)) return false;
  let size = 0;
  for (const inside of element.querySelectorAll('*')) {
    size = inside.parentNode === element ? 0 : size + 1;
    if (size >= PIECE) return false;
  }
  return true;
}
