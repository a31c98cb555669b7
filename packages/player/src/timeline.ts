import { EventType, type eventWithTime, IncrementalSource } from 'rrweb';
import type { Line } from './lines.js';
import { createScreen } from './mobile/index.js';

/** What was recorded in one window, from its first picture on: events by time, of which the first says how large the window is. */
export interface Track {
  windowId: string;
  events: eventWithTime[];
  /** Its pages, by time. */
  pages: { at: number; address: string }[];
  /** When there are whole pictures of it. */
  pictures: number[];
}

/** A part of a recording without gaps, which may become longer at its end. Times are epoch milliseconds. */
export interface Timeline {
  /** Adds what comes next. `onAdded` is told of each event of a window that had a picture before. */
  add(lines: readonly Line[], onAdded: (track: Track, event: eventWithTime) => void): void;
  /** When its first picture is; undefined: it has none. */
  start(): number | undefined;
  /** The window that the person was in at a time, among those of which there is a picture; before the first picture that of the first. */
  trackAt(time: number): Track | undefined;
  /** When the person is in another window for the next time. */
  nextChange(time: number): number | undefined;
}

/** Signs that the person is in a window. */
const BY_HAND: ReadonlySet<unknown> = new Set([
  IncrementalSource.MouseMove,
  IncrementalSource.MouseInteraction,
  IncrementalSource.Scroll,
  IncrementalSource.Input,
  IncrementalSource.TouchMove,
  IncrementalSource.Drag,
]);
/** Of a window whose size is not known. */
const SIZE = { width: 1280, height: 800 };

const isByHand = (event: eventWithTime): boolean =>
  event.type === EventType.IncrementalSnapshot && BY_HAND.has(event.data.source);

export function createTimeline(): Timeline {
  const tracks = new Map<string, Track>();
  /** The last size of windows without a picture so far. */
  const sizes = new Map<string, eventWithTime>();
  const changes: { at: number; track: Track }[] = [];
  const screens = new Map<string, ReturnType<typeof createScreen>>();

  const enter = (track: Track, at: number) => {
    if (changes.at(-1)?.track !== track) changes.push({ at, track });
  };

  /** What was recorded of an application for telephones as pages. */
  const asPages = function* (lines: readonly Line[]): Generator<Line> {
    for (const { windowId, event } of lines) {
      const screen = screens.get(windowId) ?? createScreen();
      screens.set(windowId, screen);
      for (const one of screen(event)) yield { windowId, event: one };
    }
  };

  return {
    add: (lines, onAdded) => {
      for (const { windowId, event } of asPages(lines)) {
        const track = tracks.get(windowId);
        if (track) {
          append(track, event);
          if (isByHand(event)) enter(track, event.timestamp);
          onAdded(track, event);
        } else if (event.type === EventType.Meta) sizes.set(windowId, event);
        else if (event.type === EventType.FullSnapshot) {
          const { timestamp } = event;
          const size = sizes.get(windowId) ?? { type: EventType.Meta, timestamp, data: { href: '', ...SIZE } };
          const begun: Track = { windowId, events: [], pages: [], pictures: [] };
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

function append({ events, pages, pictures }: Track, event: eventWithTime): void {
  events.push(event);
  if (event.type === EventType.Meta) pages.push({ at: event.timestamp, address: String(event.data.href ?? '') });
  if (event.type === EventType.FullSnapshot) pictures.push(event.timestamp);
}

/** A page and its picture are no further apart than this, milliseconds. */
const TOGETHER_MS = 1_000;

/** The first time from `time` on at which the page of that time has its picture: between the two there is nothing to show. */
export function pictured({ pages, pictures }: Track, time: number): number {
  const page = pages.findLast(({ at }) => at <= time) ?? pages[0];
  const picture = page && pictures.find((at) => at >= page.at);
  return picture !== undefined && picture - time < TOGETHER_MS ? Math.max(time, picture + 1) : time;
}

/** Whether there is a picture, by a time, of the window that the person was in then; if not, one has to be looked for earlier. */
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
