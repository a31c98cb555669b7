import type { eventWithTime } from 'rrweb';
import { expect, test } from 'vitest';
import type { Line } from './lines.js';
import { recorded } from './testing/mobile.js';
import { createTimeline, hasPicture, pictured, type Track } from './timeline.js';

const meta = (timestamp: number, href = `https://a.example/${timestamp}`): eventWithTime => ({
  type: 4,
  timestamp,
  data: { href, width: 800, height: 600 },
});
const picture = (timestamp: number): eventWithTime => ({
  type: 2,
  timestamp,
  data: { node: { type: 0, childNodes: [], id: 1 }, initialOffset: { top: 0, left: 0 } },
});
const click = (timestamp: number): eventWithTime => ({ type: 3, timestamp, data: { source: 2, type: 2, id: 1, x: 0, y: 0 } });
const change = (timestamp: number): eventWithTime => ({
  type: 3,
  timestamp,
  data: { source: 0, texts: [], attributes: [], removes: [], adds: [] },
});
const of = (windowId: string, ...events: eventWithTime[]): Line[] => events.map((event) => ({ windowId, event }));

test('a window begins with its first full snapshot, and its size at that time', () => {
  const timeline = createTimeline();
  const added: [string, number][] = [];
  const note = (track: Track, event: eventWithTime) => added.push([track.windowId, event.timestamp]);
  timeline.add(of('a', change(1), meta(2), change(3), meta(4), picture(5), click(6)), note);
  expect(timeline.start()).toBe(5);
  expect(timeline.trackAt(0)?.events.map(({ timestamp }) => timestamp)).toEqual([4, 5, 6]);
  expect(added).toEqual([['a', 6]]);
  timeline.add(of('b', picture(7)), note);
  expect(timeline.trackAt(7)).toMatchObject({ windowId: 'b', events: [{ type: 4, timestamp: 7, data: { width: 1280 } }, {}] });
});

test('the current window is the one with the last activity of the person; changes of a page by itself do not count', () => {
  const timeline = createTimeline();
  timeline.add(of('a', meta(0), picture(1)), () => {});
  timeline.add(of('b', meta(10), picture(11), click(12)), () => {});
  timeline.add([...of('a', change(15), click(20)), ...of('b', change(25), picture(26))], () => {});
  const windows = [0, 5, 11, 15, 20, 30].map((time) => timeline.trackAt(time)?.windowId);
  expect(windows).toEqual(['a', 'a', 'b', 'b', 'a', 'a']);
  expect([timeline.nextChange(1), timeline.nextChange(11), timeline.nextChange(20)]).toEqual([11, 20, undefined]);
});

test('if the current window has no full snapshot yet, an earlier one is used', () => {
  expect(hasPicture(of('a', change(1), click(2)), 5)).toBe(false);
  expect(hasPicture(of('a', meta(1), picture(2), click(3)), 5)).toBe(true);
  expect(hasPicture(of('a', meta(1), picture(6)), 5)).toBe(false);
  expect(hasPicture([...of('a', picture(1), click(2)), ...of('b', click(3))], 5)).toBe(false);
  expect(hasPicture([...of('a', picture(1), click(2)), ...of('b', click(3))], 2)).toBe(true);
});

test('between the load of a page and its full snapshot nothing is shown', () => {
  const timeline = createTimeline();
  timeline.add(of('a', meta(10), picture(12), click(20), meta(100), picture(130), meta(5_000), picture(9_000)), () => {});
  const track = timeline.trackAt(10);
  const shown = [10, 11, 12, 50, 100, 129, 200, 5_000].map((time) => track && pictured(track, time));
  expect(shown).toEqual([13, 13, 13, 50, 131, 131, 200, 5_000]);
});

test('a mobile recording is one window, sized by its first full snapshot', () => {
  const timeline = createTimeline();
  const wireframes = (text: string) => [{ id: 1, type: 'text', width: 390, height: 844, text }];
  const outline = (timestamp: number, text: string) => recorded(2, { wireframes: wireframes(text) }, timestamp);
  const added: number[] = [];
  const touch = recorded(3, { source: 2, type: 7, id: 0, x: 1, y: 1 }, 30);
  timeline.add(of('a', outline(10, 'a'), outline(20, 'b'), outline(25, 'b'), touch), (_track, { timestamp }) =>
    added.push(timestamp),
  );
  const track = timeline.trackAt(10);
  expect(track?.events.map(({ type, timestamp }) => [type, timestamp])).toEqual([
    [4, 10],
    [2, 10],
    [3, 20],
    [3, 30],
  ]);
  expect(track).toMatchObject({
    pages: [10],
    addresses: [{ at: 10, address: '' }],
    pictures: [10],
    events: [{ data: { width: 390, height: 844 } }, {}, {}, {}],
  });
  expect(added).toEqual([20, 30]);
});
