import { spawn } from 'node:child_process';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createScheduler } from '../../system/index.js';
import { type ServerProgram, supervise } from './supervise.js';

const log = pino({ level: 'silent' });

/** A program that runs until it is stopped, and whose first readiness checks fail with these errors. */
function program(faults: Error[]): ServerProgram & { starts: () => number } {
  let starts = 0;
  return {
    starts: () => starts,
    clear: async () => {},
    spawn: () => {
      starts++;
      return spawn('sleep', ['1000'], { stdio: ['ignore', 'ignore', 'pipe'] });
    },
    ready: async () => {
      const fault = faults.shift();
      if (fault) throw fault;
    },
    answers: async () => {},
  };
}

const BROKEN = ['Client has encountered a connection error and is not queryable', 'Connection terminated unexpectedly'];

test.each(BROKEN)('a first start whose connection breaks (%s) is repeated', async (message) => {
  const server = program([new Error(message), new Error(message)]);
  const supervised = await supervise(server, log, createScheduler());
  expect(server.starts()).toBe(3);
  await supervised.stop();
});

test('a first start that is refused for another reason fails at once, with the reason', async () => {
  const server = program([new Error('password authentication failed')]);
  await expect(supervise(server, log, createScheduler())).rejects.toThrow('password authentication failed');
  expect(server.starts()).toBe(1);
});

test('a first start whose connection breaks each time fails after a few attempts', async () => {
  const server = program(Array.from({ length: 10 }, () => new Error(BROKEN[0])));
  await expect(supervise(server, log, createScheduler())).rejects.toThrow('not queryable');
  expect(server.starts()).toBe(3);
});
