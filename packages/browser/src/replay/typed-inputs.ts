import type { record } from '@rrweb/record';
import { isRecord, type Timers } from '@tidemark/client';
import { listen } from '../listen.js';
import type { RecordedEvent } from './in-pieces.js';

const INCREMENTAL = 3;
const INPUT = 5;

/**
 * The last record of each input, and how many the recorder has made. Of the page and not of a recording: the recorder, too, compares a value with the one that
 * an earlier recording of the page has noted.
 */
const records = new WeakMap<Node, { data: Record<string, unknown>; count: number }>();

/**
 * Repeats the record of an input whose masked value is the same as before. The recorder leaves it out, so that typing into a password would count
 * as a single key press.
 */
export function repeatTypedInputs(mirror: typeof record.mirror, timers: Timers, emit: (event: RecordedEvent) => void) {
  /** The last input, until it is clear whether the recorder makes a record of it, and how many there were before it. */
  let last: { node: Node; before: number | undefined } | undefined;
  let isRepeat = false;
  let timer: unknown;
  /** Repeats the record of the last input's element, if the recorder has made none of the input. */
  const settle = () => {
    timers.clear(timer);
    if (!last) return;
    const { node, before } = last;
    last = undefined;
    const now = records.get(node);
    if (!now || now.count !== before || !mirror.hasNode(node)) return;
    isRepeat = true;
    // the ids of nodes change with each snapshot of the whole page
    emit({ type: INCREMENTAL, timestamp: Date.now(), data: { ...now.data, id: mirror.getId(node) } });
    isRepeat = false;
  };
  const onInput = (event: Event) => {
    // a busy browser reports several inputs before a timer runs
    settle();
    const [node] = event.composedPath();
    if (!isNode(node)) return;
    last = { node, before: records.get(node)?.count };
    // after the recorder's listener, wherever in the order that is
    timer = timers.set(settle, 0);
  };
  const documents = new Set<Node>();
  const stops: (() => void)[] = [];
  const watch = (node: Node) => {
    if (documents.has(node) || node.nodeType !== Node.DOCUMENT_NODE) return;
    documents.add(node);
    // of the window, which is before the recorder's listener of the document
    stops.push(listen((node as Document).defaultView ?? node, ['input'], onInput, true));
  };
  // before the recorder starts, which replaces `MutationObserver` for that time
  watch(document);
  return {
    /** Watches the inputs of a node that the recorder takes, if it is the document of a frame. */
    watch,
    /** Notes a recorded event. */
    note({ type, data }: RecordedEvent) {
      if (isRepeat || type !== INCREMENTAL || !isRecord(data) || data['source'] !== INPUT) return;
      const node = mirror.getNode(Number(data['id']));
      if (node) records.set(node, { data, count: (records.get(node)?.count ?? 0) + 1 });
    },
    settle,
    stop() {
      timers.clear(timer);
      for (const end of stops) end();
    },
  };
}

/** Whether a target is a node, also of a frame, whose classes are others. */
const isNode = (target: EventTarget | undefined): target is Node => target !== undefined && 'nodeType' in target;
