import { EventType, type eventWithTime, IncrementalSource } from 'rrweb';
import type { Line } from './lines.js';
import { createScreen, fieldsOf } from './mobile/index.js';

/** The events of one window from its first full snapshot on, sorted by time. The first event gives the size of the window. */
export interface Track {
  windowId: string;
  events: eventWithTime[];
  /** When its pages were loaded. */
  pages: number[];
  /** Addresses of the window, which also change without loading. */
  addresses: { at: number; address: string }[];
  /** Times of its full snapshots. */
  pictures: number[];
}

/** A gapless part of a recording, which grows at its end. Times are epoch milliseconds. */
export interface Timeline {
  /** Appends lines. `onAdded` receives each event of a window that already has a track, `onLine` all events. */
  add(lines: readonly Line[], onAdded: (track: Track, event: eventWithTime) => void, onLine?: (line: Line) => void): void;
  /** Time of the first full snapshot; undefined: none yet. */
  start(): number | undefined;
  /** The window that was active at a time, among those with a track; the first one when the time lies before it. */
  trackAt(time: number): Track | undefined;
  /** Time of the next change of the active window. */
  nextChange(time: number): number | undefined;
}

/** User input, which marks a window as the active one. */
const BY_HAND: ReadonlySet<unknown> = new Set([
  IncrementalSource.MouseMove,
  IncrementalSource.MouseInteraction,
  IncrementalSource.Scroll,
  IncrementalSource.Input,
  IncrementalSource.TouchMove,
  IncrementalSource.Drag,
]);
/** Default size of a window, pixels. */
const SIZE = { width: 1280, height: 800 };

const isByHand = (event: eventWithTime): boolean =>
  event.type === EventType.IncrementalSnapshot && BY_HAND.has(event.data.source);

export function createTimeline(): Timeline {
  const tracks = new Map<string, Track>();
  /** Latest meta event of each window that has no full snapshot yet. */
  const sizes = new Map<string, eventWithTime>();
  const changes: { at: number; track: Track }[] = [];
  const screens = new Map<string, ReturnType<typeof createScreen>>();

  const enter = (track: Track, at: number) => {
    if (changes.at(-1)?.track !== track) changes.push({ at, track });
  };

  /** Converts events of mobile applications to events of web pages. */
  const asPages = function* (lines: readonly Line[]): Generator<Line> {
    for (const { windowId, event } of lines) {
      const screen = screens.get(windowId) ?? createScreen();
      screens.set(windowId, screen);
      for (const one of screen(event)) yield { windowId, event: one };
    }
  };

  return {
    add: (lines, onAdded, onLine) => {
      for (const { windowId, event } of asPages(lines)) {
        onLine?.({ windowId, event });
        const track = tracks.get(windowId);
        if (track) {
          append(track, event);
          if (isByHand(event)) enter(track, event.timestamp);
          onAdded(track, event);
        } else if (event.type === EventType.Meta) sizes.set(windowId, event);
        else if (event.type === EventType.FullSnapshot) {
          const { timestamp } = event;
          const size = sizes.get(windowId) ?? { type: EventType.Meta, timestamp, data: { href: '', ...SIZE } };
          const begun: Track = { windowId, events: [], pages: [], addresses: [], pictures: [] };
          append(begun, size);
          append(begun, event);
          tracks.set(windowId, begun);
          enter(begun, timestamp);
        }
      }
    },
    start: () => changes[0]?.at,
    trackAt: (time) => (changes.findLast(({ at }) => at <= time) ?? changes[0])?.track,
    nextChange: (time) => changes.find(({ at }) => at > time)?.at,
  };
}

/** Custom events with the address of a page that changed without loading: of posthog-js, and of our recorder. */
const PAGE_TAGS: ReadonlySet<unknown> = new Set(['$pageview', '$url_changed']);

/** The address of the page that an event begins. */
export function addressIn({ type, data }: eventWithTime): string | undefined {
  if (type === EventType.Meta) return String(fieldsOf(data)['href'] ?? '');
  const { tag, payload } = type === EventType.Custom ? fieldsOf(data) : {};
  return PAGE_TAGS.has(tag) ? String(fieldsOf(payload)['href'] ?? '') : undefined;
}

function append({ events, pages, addresses, pictures }: Track, event: eventWithTime): void {
  events.push(event);
  const address = addressIn(event);
  if (address !== undefined) addresses.push({ at: event.timestamp, address });
  if (event.type === EventType.Meta) pages.push(event.timestamp);
  if (event.type === EventType.FullSnapshot) pictures.push(event.timestamp);
}

/** Maximal delay between a page's meta event and its full snapshot. */
const TOGETHER_MS = 1_000;

/** The earliest time from `time` on at which its page can be shown, which may be the full snapshot shortly after the page began. */
export function pictured({ pages, pictures }: Track, time: number): number {
  const page = pages.findLast((at) => at <= time) ?? pages[0];
  const picture = page === undefined ? undefined : pictures.find((at) => at >= page);
  return picture !== undefined && picture - time < TOGETHER_MS ? Math.max(time, picture + 1) : time;
}

/** Whether the lines contain a full snapshot of the window that is active at `time`. If not, earlier blocks are needed. */
export function hasPicture(lines: readonly Line[], time: number): boolean {
  const pictured = new Set<string>();
  let last: string | undefined;
  for (const { windowId, event } of lines) {
    if (event.timestamp > time) continue;
    if (event.type === EventType.FullSnapshot) pictured.add(windowId);
    if (isByHand(event)) last = windowId;
  }
  return last === undefined ? pictured.size > 0 : pictured.has(last);
}
