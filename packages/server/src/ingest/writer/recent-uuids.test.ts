import { expect, test } from 'vitest';
import { RecentUuids } from './recent-uuids.js';

const uuid = (n: number) => `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;

test('vouches for the time of both generations, and for less when the older is forgotten', () => {
  const recent = new RecentUuids(100, 2);
  recent.add(1, uuid(1), 110);
  recent.add(1, uuid(2), 120);
  recent.add(1, uuid(3), 130);
  expect(recent.since).toBe(100);
  expect(recent.has(1, uuid(1))).toBe(true);
  recent.add(1, uuid(4), 140);
  recent.add(1, uuid(5), 150);
  expect(recent.since).toBe(130);
  expect([1, 2, 3, 4, 5].map((n) => recent.has(1, uuid(n)))).toEqual([false, false, true, true, true]);
});

test('knows what it learned, and after a doubt vouches for nothing before it', () => {
  const recent = new RecentUuids(100, 10);
  recent.learn([{ project_id: 1, uuid: uuid(9) }], 40);
  expect([recent.since, recent.has(1, uuid(9))]).toEqual([40, true]);
  recent.doubt(200);
  expect([recent.since, recent.has(1, uuid(9))]).toEqual([200, true]);
});
