import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import type { Session } from 'chdb';
import { EVENT_COLUMNS, EVENT_STRUCTURE } from '../../../ports/event-rows/index.js';
import type { Settings } from './protocol.js';

/** Rows in the binary form: the package of the engine takes text alone, but the engine itself reads files of any form. */
export interface Incoming {
  insert(session: Session, table: string, rows: Buffer, settings: Settings): Promise<void>;
}

const DIRECTORY = 'incoming';
/**
 * How the engine is told of it: our process runs in its parent. Not by its whole name, which may hold what the engine takes for a
 * pattern, and it then reads all files that match, or none.
 */
const KNOWN_AS = existsSync('/proc/self/cwd') ? `/proc/self/cwd/${DIRECTORY}` : DIRECTORY;

/**
 * Opens a directory for files that live as long as their insert; those of a process that was killed are deleted.
 * @throws Error when the engine does not find what is in it
 */
export async function openIncoming(session: Session): Promise<Incoming> {
  await rm(DIRECTORY, { recursive: true, force: true });
  await mkdir(DIRECTORY);
  await writeFile(`${DIRECTORY}/try`, 'a line');
  const found = await session.queryAsync(`SELECT count() FROM file('${KNOWN_AS}/try', LineAsString)`, { format: 'TSV' });
  await rm(`${DIRECTORY}/try`);
  if (found.text().trim() !== '1') throw new Error('its path holds a character that the engine takes for a pattern: * ? { }');
  let files = 0;
  return {
    insert: async (session, table, rows, settings) => {
      const name = `${++files}.rows`;
      try {
        // no copy that has to last: the log holds the rows until they are in the table
        await writeFile(`${DIRECTORY}/${name}`, rows);
        await session.queryAsync(`INSERT INTO ${table} (${EVENT_COLUMNS}) SELECT ${EVENT_COLUMNS} FROM file('${KNOWN_AS}/${name}', RowBinary, ${quoted(EVENT_STRUCTURE)})
          SETTINGS ${Object.entries(settings).map(([name, value]) => `${name} = ${typeof value === 'string' ? quoted(value) : value}`)}`);
      } finally {
        await rm(`${DIRECTORY}/${name}`, { force: true });
      }
    },
  };
}

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
