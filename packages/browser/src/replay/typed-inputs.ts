import type { record } from '@rrweb/record';
import { isRecord, type Timers } from '@tidemark/client';
import { listen } from '../listen.js';
import type { RecordedEvent } from './in-pieces.js';

const INCREMENTAL = 3;
const INPUT = 5;

/**
 * Repeats the record of an input whose masked value is the same as before. The recorder leaves it out, so that typing into a password would count
 * as a single key press.
 */
export function repeatTypedInputs(mirror: typeof record.mirror, timers: Timers, emit: (event: RecordedEvent) => void) {
  /** By the id of the element: its last record, and how many the recorder has made. */
  const records = new Map<unknown, { event: RecordedEvent; count: number }>();
  let isRepeat = false;
  const recordOf = (target: EventTarget | undefined) => (isNode(target) ? records.get(mirror.getId(target)) : undefined);
  const onInput = (event: Event) => {
    const [target] = event.composedPath();
    const before = recordOf(target)?.count;
    // after the recorder's listener, wherever in the order that is
    timers.set(() => {
      const now = recordOf(target);
      if (!now || now.count !== before) return;
      isRepeat = true;
      emit({ ...now.event, timestamp: Date.now() });
      isRepeat = false;
    }, 0);
  };
  const documents = new Set<Document>();
  const stops: (() => void)[] = [];
  const watch = (one: Document) => {
    if (documents.has(one)) return;
    documents.add(one);
    // of the window, which is before the recorder's listener of the document
    stops.push(listen(one.defaultView ?? one, ['input'], onInput, true));
  };
  watch(document);
  return {
    /** Notes a recorded event. */
    note(event: RecordedEvent) {
      if (isRepeat || event.type !== INCREMENTAL || !isRecord(event.data) || event.data['source'] !== INPUT) return;
      const { id } = event.data;
      // the first key of a frame says that the recorder has taken it
      const { ownerDocument } = mirror.getNode(Number(id)) ?? {};
      if (ownerDocument) watch(ownerDocument);
      records.set(id, { event, count: (records.get(id)?.count ?? 0) + 1 });
    },
    stop() {
      for (const end of stops) end();
    },
  };
}

/** Whether a target is a node, also of a frame, whose classes are others. */
const isNode = (target: EventTarget | undefined): target is Node => target !== undefined && 'nodeType' in target;
