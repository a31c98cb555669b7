import { type FileHandle, open } from 'node:fs/promises';
import { Socket } from 'node:net';
import { setPriority } from 'node:os';
import { sentenceOf } from '../../../kernel/errors.js';
import { createScheduler } from '../../system/index.js';
import { type FileRange, type NumberedRequest, readFrames, writeFrame } from './protocol.js';
import { openSessions, type Sessions } from './sessions.js';

/**
 * Lower priority than the service: capture and pages must not wait for merges and long queries. All threads of the engine inherit it
 * from this one, so it is set first.
 */
const NICENESS = 5;
setPriority(NICENESS);

/** The main script of the engine process. It answers the frames that the service sends over descriptor 3. */
const service = new Socket({ fd: 3 });

// the service decides when to stop: Ctrl+C reaches all processes of a terminal, and must not cut off the last inserts
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

// the service is gone: free the directory for the next one at once; all acknowledged rows are on the disk
service.on('close', () => process.kill(process.pid, 'SIGKILL'));
service.on('error', () => process.kill(process.pid, 'SIGKILL'));

respondTo(service);

function respondTo(service: Socket): void {
  const answer = createAnswer();
  readFrames<NumberedRequest>(service, (request, body) => {
    answer(request, body).then(
      (result) => writeFrame(service, { id: request.id }, result),
      (error) => writeFrame(service, { id: request.id, error: sentenceOf(error) }),
    );
  });
}

/** Answers requests in the sessions that the request `open` has opened. */
function createAnswer(): (request: NumberedRequest, body: Buffer) => Promise<Buffer | undefined> {
  let sessions: Sessions | null = null;
  return async (request, body) => {
    if (request.op === 'ping') return undefined;
    if (request.op === 'open') {
      sessions = await openSessions(request, createScheduler());
      return undefined;
    }
    if (!sessions) throw new Error('The engine is not open.');
    switch (request.op) {
      case 'insert':
        return sessions.insert(request, body, request.settings);
      case 'insertRanges':
        return sessions.insert(request, await readRanges(request.ranges), request.settings);
      case 'write':
        return sessions.write(request.sql);
      case 'copy':
        return sessions.copy(request.sql);
      case 'memory':
        return sessions.changeMemory(request);
      case 'read':
        return sessions.read(request);
      case 'kill':
        return sessions.kill(request.read);
      case 'close':
        return sessions.close();
    }
  };
}

/** Reads ranges of files into one buffer, in their order. @throws Error when a file ends before its range */
async function readRanges(ranges: readonly FileRange[]): Promise<Buffer> {
  const all = Buffer.allocUnsafeSlow(ranges.reduce((sum, { length }) => sum + length, 0));
  const files = new Map<string, FileHandle>();
  let at = 0;
  try {
    for (const { path, offset, length } of ranges) {
      const file = files.get(path) ?? (await open(path));
      files.set(path, file);
      const { bytesRead } = await file.read(all, at, length, offset);
      if (bytesRead < length) throw new Error(`${path} ends before ${offset + length}.`);
      at += length;
    }
  } finally {
    for (const file of files.values()) await file.close();
  }
  return all;
}
