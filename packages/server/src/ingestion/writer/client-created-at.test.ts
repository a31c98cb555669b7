import { expect, test } from 'vitest';
import { clientCreatedAt } from './dedup.js';

const event = { hasClientUuid: true, event: 'x', distinctId: 'a', timestamp: 999, properties: {} };

test("the creation time of an event is the client's timestamp, else the time of its version 7 uuid, else 0", () => {
  const v7 = '0192a4c0-1234-7abc-8def-0123456789ab';
  const v4 = '0192a4c0-1234-4abc-8def-0123456789ab';
  expect(clientCreatedAt({ ...event, uuid: v7, clientTime: 42 })).toBe(42);
  expect(clientCreatedAt({ ...event, uuid: v7 })).toBe(0x0192a4c01234);
  expect(clientCreatedAt({ ...event, uuid: v4 })).toBe(0);
});
