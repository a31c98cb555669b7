import { Socket } from 'node:net';
import { setPriority } from 'node:os';
import { createScheduler } from '../../system/index.js';
import { readFrames, writeFrame } from './frames.js';
import type { NumberedRequest } from './protocol.js';
import { readPieces } from './read-pieces.js';
import { openSessions, type Sessions } from './sessions.js';

/**
 * How far behind the service this process stands when both want a processor: those who capture or ask for a page are not to
 * wait for merges and long queries. All threads of the engine inherit it from this one, so it comes first.
 */
const NICENESS = 5;
setPriority(NICENESS);

/** Body of the event engine's own process: answers the frames that the service sends over descriptor 3. */
const service = new Socket({ fd: 3 });
let sessions: Sessions | null = null;

// the service decides when to stop: a Ctrl+C that reaches the whole terminal must not cut off its last inserts
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

// the service is gone: leave the directory to its successor at once; whatever was acknowledged is on the disk
service.on('close', () => process.kill(process.pid, 'SIGKILL'));
service.on('error', () => process.kill(process.pid, 'SIGKILL'));

readFrames<NumberedRequest>(service, (request, body) => {
  answer(request, body).then(
    (result) => writeFrame(service, { id: request.id }, result),
    (error) => writeFrame(service, { id: request.id, error: error instanceof Error ? error.message : String(error) }),
  );
});

async function answer(request: NumberedRequest, body: Buffer): Promise<Buffer | undefined> {
  if (request.op === 'ping') return undefined;
  if (request.op === 'open') {
    sessions = await openSessions(request, createScheduler());
    return undefined;
  }
  if (!sessions) throw new Error('The engine is not open.');
  switch (request.op) {
    case 'insert':
      return sessions.insert(request, body, request.settings);
    case 'insertFrom':
      return sessions.insert(request, await readPieces(request.pieces), request.settings);
    case 'write':
      return sessions.write(request.sql);
    case 'read':
      return sessions.read(request);
    case 'kill':
      return sessions.kill(request.read);
    case 'close':
      return sessions.close();
  }
}
