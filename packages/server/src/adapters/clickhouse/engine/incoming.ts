import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Session } from 'chdb';
import { EVENT_COLUMNS } from '../../../ports/event-rows/index.js';
import type { Settings } from './protocol.js';

/** Rows in the binary form: the package of the engine takes text alone, but the engine itself reads files of any form. */
export interface Incoming {
  insert(session: Session, table: string, rows: Buffer, settings: Settings): Promise<void>;
}

const NAMES = Object.keys(EVENT_COLUMNS).join();
const TYPES = Object.entries(EVENT_COLUMNS)
  .map(([name, type]) => `${name} ${type}`)
  .join();

/** A directory for files that live as long as their insert; those of a process that was killed are deleted. */
export async function openIncoming(directory: string): Promise<Incoming> {
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  let files = 0;
  return {
    insert: async (session, table, rows, settings) => {
      const path = join(directory, `${++files}.rows`);
      try {
        // no copy that has to last: the log holds the rows until they are in the table
        await writeFile(path, rows);
        await session.queryAsync(`INSERT INTO ${table} (${NAMES}) SELECT ${NAMES} FROM file(${quoted(path)}, RowBinary, ${quoted(TYPES)})
          SETTINGS ${Object.entries(settings).map(([name, value]) => `${name} = ${typeof value === 'string' ? quoted(value) : value}`)}`);
      } finally {
        await rm(path, { force: true });
      }
    },
  };
}

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
