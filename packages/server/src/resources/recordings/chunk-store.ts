import type { Db } from '../../ports/db.js';

/** The chunks of a recording by time. */
export const chunksOf = (db: Db, recordingId: number) =>
  db
    .selectFrom('recording_chunks')
    .select(['hash', 'start_time', 'end_time', 'size'])
    .where('recording_id', '=', recordingId)
    .orderBy('start_time')
    .orderBy('hash')
    .execute();

export type ChunkRow = Awaited<ReturnType<typeof chunksOf>>[number];
