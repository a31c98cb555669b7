import { beforeEach, describe, expect, test } from 'vitest';
import { RecentUuids } from './recent-uuids.js';

const uuid = (n: number) => `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;

let recent: RecentUuids;
beforeEach(() => {
  recent = new RecentUuids(100, 2);
});

/** What was known of the event before; it is stored afterwards. */
function store(n: number, now: number) {
  const known = recent.claim(1, uuid(n), now);
  recent.settle(1, uuid(n), true);
  return known;
}

test('vouches for the time of both generations, and for less when the older is forgotten', () => {
  expect([store(1, 110), store(2, 120), store(3, 130)]).toEqual(['absent', 'absent', 'absent']);
  expect(recent.since).toBe(100);
  expect(store(1, 135)).toBe('stored');
  expect([store(4, 140), store(5, 150)]).toEqual(['absent', 'absent']);
  expect(recent.since).toBe(130);
  expect([store(3, 160), store(4, 160), store(5, 160)]).toEqual(['stored', 'stored', 'stored']);
  expect(store(1, 160)).toBe('absent');
});

test('knows what it learned, and after a doubt vouches for nothing before it', () => {
  recent.learn([{ project_id: 1, uuid: uuid(9) }], 40);
  expect([recent.since, recent.claim(1, uuid(9), 110)]).toEqual([40, 'stored']);
  recent.doubt(200);
  expect([recent.since, recent.claim(1, uuid(9), 210)]).toEqual([200, 'stored']);
});

describe('what was claimed', () => {
  test('stays so until it is settled, and may be claimed again when it was not stored', () => {
    expect([recent.claim(1, uuid(1), 110), recent.claim(1, uuid(1), 110)]).toEqual(['absent', 'claimed']);
    recent.settle(1, uuid(1), false);
    expect([recent.claim(1, uuid(1), 110), recent.claim(1, uuid(1), 110)]).toEqual(['absent', 'claimed']);
    recent.settle(1, uuid(1), true);
    expect(recent.claim(1, uuid(1), 110)).toBe('stored');
  });

  test('is settled where it is, when its generation has become the older one meanwhile', () => {
    recent.claim(1, uuid(1), 110);
    recent.claim(1, uuid(2), 110);
    store(3, 120);
    recent.settle(1, uuid(1), true);
    recent.settle(1, uuid(2), false);
    expect([recent.claim(1, uuid(1), 130), recent.claim(1, uuid(2), 130)]).toEqual(['stored', 'absent']);
  });

  test('is known when its generation was forgotten before it was stored', () => {
    recent.claim(1, uuid(1), 110);
    for (const n of [2, 3, 4, 5, 6]) store(n, 120);
    recent.settle(1, uuid(1), true);
    expect(recent.claim(1, uuid(1), 130)).toBe('stored');
  });
});
