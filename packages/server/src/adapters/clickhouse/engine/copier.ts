import { mkdir, rm } from 'node:fs/promises';
import type { Session } from 'chdb';
import { COPIES } from './copy-files.js';
import type { EngineOptions } from './protocol.js';
import { type SerialSession, serialSession } from './serial-session.js';

/** The session that copies rows to and from files. Deletes the files of a process that was killed. */
export async function createCopier(open: () => Session, { database, memory }: EngineOptions): Promise<SerialSession> {
  await rm(COPIES, { recursive: true, force: true });
  await mkdir(COPIES);
  return serialSession(open, [`USE ${database}`, `SET max_memory_usage = ${Math.floor(memory / 2)}`]);
}
