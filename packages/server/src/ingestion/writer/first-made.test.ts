import { expect, test } from 'vitest';
import { firstMade } from './first-made.js';

const event = { ownUuid: true, event: 'x', distinctId: 'a', timestamp: 999, properties: {} };

test("is the client's word, else the time inside its uuid, else unknown", () => {
  const v7 = '0192a4c0-1234-7abc-8def-0123456789ab';
  const v4 = '0192a4c0-1234-4abc-8def-0123456789ab';
  expect(firstMade({ ...event, uuid: v7, clientTime: 42 })).toBe(42);
  expect(firstMade({ ...event, uuid: v7 })).toBe(0x0192a4c01234);
  expect(firstMade({ ...event, uuid: v4 })).toBe(0);
});
