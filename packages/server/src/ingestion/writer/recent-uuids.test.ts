import { beforeEach, describe, expect, test } from 'vitest';
import { RecentUuids } from './recent-uuids.js';

const uuid = (n: number) => `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;

let recent: RecentUuids;
beforeEach(() => {
  recent = new RecentUuids(100, 2);
});

/** What was known of the event before; it is stored afterwards. */
function store(n: number, now: number) {
  const known = recent.reserve(1, uuid(n), now);
  recent.settle(1, uuid(n), true);
  return known;
}

test('the watermark covers both generations, and moves ahead when the older one is dropped', () => {
  expect([store(1, 110), store(2, 120), store(3, 130)]).toEqual(['absent', 'absent', 'absent']);
  expect(recent.coveredSince).toBe(100);
  expect(store(1, 135)).toBe('stored');
  expect([store(4, 140), store(5, 150)]).toEqual(['absent', 'absent']);
  expect(recent.coveredSince).toBe(130);
  expect([store(3, 160), store(4, 160), store(5, 160)]).toEqual(['stored', 'stored', 'stored']);
  expect(store(1, 160)).toBe('absent');
});

test('what was stored since a moment is known until two generations have followed, or a reset', () => {
  store(1, 110);
  const { generation } = recent;
  for (const n of [2, 3, 4]) store(n, 120);
  expect([recent.generation, recent.remembersFrom(generation)]).toEqual([generation + 1, true]);
  expect(store(1, 130)).toBe('stored');
  store(5, 140);
  expect(recent.remembersFrom(generation)).toBe(false);
  expect(recent.remembersFrom(recent.generation)).toBe(true);
  const before = recent.generation;
  recent.resetCoverage(200);
  expect(recent.remembersFrom(before)).toBe(false);
  expect(recent.remembersFrom(recent.generation)).toBe(true);
});

test('loaded rows move the watermark back, and a reset moves it to now', () => {
  recent.load([{ project_id: 1, uuid: uuid(9) }], 40);
  expect([recent.coveredSince, recent.reserve(1, uuid(9), 110)]).toEqual([40, 'stored']);
  recent.resetCoverage(200);
  expect([recent.coveredSince, recent.reserve(1, uuid(9), 210)]).toEqual([200, 'stored']);
});

describe('a reserved uuid', () => {
  test('it stays reserved until it is settled, and may be reserved again if it was not stored', () => {
    expect([recent.reserve(1, uuid(1), 110), recent.reserve(1, uuid(1), 110)]).toEqual(['absent', 'reserved']);
    recent.settle(1, uuid(1), false);
    expect([recent.reserve(1, uuid(1), 110), recent.reserve(1, uuid(1), 110)]).toEqual(['absent', 'reserved']);
    recent.settle(1, uuid(1), true);
    expect(recent.reserve(1, uuid(1), 110)).toBe('stored');
  });

  test('it is settled also if its generation has become the older one meanwhile', () => {
    recent.reserve(1, uuid(1), 110);
    recent.reserve(1, uuid(2), 110);
    store(3, 120);
    recent.settle(1, uuid(1), true);
    recent.settle(1, uuid(2), false);
    expect([recent.reserve(1, uuid(1), 130), recent.reserve(1, uuid(2), 130)]).toEqual(['stored', 'absent']);
  });

  test('it counts as stored if its generation was dropped before', () => {
    recent.reserve(1, uuid(1), 110);
    for (const n of [2, 3, 4, 5, 6]) store(n, 120);
    recent.settle(1, uuid(1), true);
    expect(recent.reserve(1, uuid(1), 130)).toBe('stored');
  });
});
