import { record } from '@rrweb/record';
import type { Log, Timers } from '@tidemark/client';
import { consolePlugin } from './console-plugin.js';
import { recordInPieces } from './in-pieces.js';
import type { ReplayOptions } from './options.js';
import { privacy } from './privacy.js';
import { createSnapshots } from './snapshots.js';
import { repeatTypedInputs } from './typed-inputs.js';

/** Why data waits for an interaction: the session is `fresh`, or it began (`rotation`) because the last one was idle. */
export type Hold = 'fresh' | 'rotation' | undefined;

/** Snapshots as JSON text, of one session and window. */
export interface Batch {
  sessionId: string;
  windowId: string;
  items: string[];
  /** Characters. */
  size: number;
}

export interface RecordingSettings {
  sessionId: string;
  windowId: string;
  /** Start of the session in epoch milliseconds. */
  startedAt: number;
  minimumMs: number;
  hold: Hold;
  options: ReplayOptions;
  /** `sessionRecording` of the remote config. */
  remote: unknown;
  timers: Timers;
  /** Called when the person did something. */
  active(): void;
  deliver(batch: Batch): void;
  /** Delivers when the page may be about to end. */
  deliverLeaving(batch: Batch): void;
  log: Log;
}

export interface Recording {
  /** Notes that the page has another address, which no event of the recorder says. */
  navigated(href: string): void;
  setMinimum(milliseconds: number): void;
  /** Sends data that waits for an interaction. */
  release(): void;
  flush(leaving: boolean): void;
  stop(discard?: boolean): void;
}

const FIVE_MINUTES = 300_000;
/** Minimum time between two restarts of the session's idle time. */
const TOUCH_EVERY_MS = 1000;
const FULL_SNAPSHOT = 2;
const INCREMENTAL = 3;
/** Mouse, scroll, resize, input, touch, drag, selection. Not media: a looping video causes an event at each turn. */
const INTERACTIONS: ReadonlySet<unknown> = new Set([1, 2, 3, 4, 5, 6, 12, 14]);

/** Records the page until it is stopped. */
export function startRecording(settings: RecordingSettings): Recording {
  const { sessionId, windowId, startedAt, options, timers, log } = settings;
  const { idleAfterMs = FIVE_MINUTES, fullSnapshotEveryMs = FIVE_MINUTES } = options;
  let { minimumMs, hold } = settings;
  let stopped = false;
  let idle = false;
  let lastDoing = 0;
  let lastTouch = 0;
  let lastFull = 0;
  let latest = 0;
  const { settings: hidden, hide, hideIn } = privacy(options, settings.remote);

  const snapshots = createSnapshots(timers, {
    isReady: () => !hold && latest - startedAt >= minimumMs,
    deliver: (items, size) => settings.deliver({ sessionId, windowId, items, size }),
    // data that waits too long is dropped and replaced by a new snapshot, so that memory is bounded
    overflow: () => takeFull(),
  });
  const takeFull = () => {
    if (stopped) return;
    lastFull = latest;
    try {
      pieces.takeFull();
    } catch (error) {
      log.warn('Session recording: a snapshot of the page failed:', error);
    }
  };

  /** Not while a snapshot is being taken: a slow page would never complete one. */
  const takeNextFull = () => {
    if (!pieces.isTaking()) takeFull();
  };

  const recorder: Parameters<typeof recordInPieces>[0] = {
    emit(event) {
      if (stopped) return;
      hideIn(event.data, (id) => record.mirror.getNode(id));
      typed.note(event);
      const { timestamp } = event;
      latest = timestamp;
      lastDoing ||= timestamp;
      if (isInteraction(event)) {
        lastDoing = timestamp;
        hold = undefined;
        if (timestamp - lastTouch >= TOUCH_EVERY_MS) {
          lastTouch = timestamp;
          // may start a new session, and with it another recording
          settings.active();
          if (stopped) return;
        }
        if (idle) {
          idle = false;
          takeFull();
        }
      } else if (!idle && timestamp - lastDoing > idleAfterMs) {
        idle = true;
        snapshots.add({ type: 5, timestamp, data: { tag: 'sessionIdle', payload: { lastActivity: lastDoing } } });
      }
      if (idle) return;
      snapshots.add(event);
      if (event.type === FULL_SNAPSHOT) lastFull = timestamp;
      else if (lastFull && timestamp - lastFull >= fullSnapshotEveryMs) {
        lastFull = timestamp;
        timers.set(takeNextFull, 0);
      }
    },
    ...hidden,
    slimDOMOptions: { script: true, comment: true },
    sampling: { scroll: 150, media: 800 },
    plugins: consolePlugin(options, settings.remote),
    errorHandler: (error) => {
      log.debug('Recorder:', error);
      return true;
    },
  };
  const typed = repeatTypedInputs(record.mirror, timers, (event) => recorder.emit?.(event));
  const pieces = recordInPieces(
    recorder,
    timers,
    (node, written) => {
      typed.watch(node);
      hide(node, written);
    },
    (event) => {
      if (!stopped && !idle) snapshots.add(event);
    },
  );

  return {
    navigated(href) {
      if (!stopped && !idle) snapshots.add({ type: 5, timestamp: Date.now(), data: { tag: '$url_changed', payload: { href } } });
    },
    setMinimum(milliseconds) {
      minimumMs = milliseconds;
    },
    release() {
      hold = undefined;
    },
    flush(leaving) {
      typed.settle();
      if (!leaving) return snapshots.flush();
      // the page may be closing: release what waits for the first interaction of a session that just began
      if (hold === 'fresh') hold = undefined;
      pieces.finish();
      const { items, size } = snapshots.take();
      if (items.length) settings.deliverLeaving({ sessionId, windowId, items, size });
    },
    stop(discard = false) {
      if (stopped) return;
      if (!discard) pieces.finish();
      pieces.stop();
      typed.stop();
      stopped = true;
      if (!discard) snapshots.flush();
      snapshots.end();
    },
  };
}

/** Whether an event of the recorder is an interaction of the person. */
const isInteraction = ({ type, data }: { type: number; data: unknown }): boolean =>
  type === INCREMENTAL && typeof data === 'object' && data !== null && 'source' in data && INTERACTIONS.has(data.source);
