import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import type { Session } from 'chdb';
import { EVENT_COLUMNS, EVENT_STRUCTURE } from '../row-binary/index.js';
import { quoteText, settingsClause } from '../sql-literals.js';
import type { Settings } from './protocol.js';

/** A directory of RowBinary files that the engine reads: the insert function of its npm package takes text formats alone. */
export interface Spool {
  insert(session: Session, table: string, rows: Buffer, settings: Settings): Promise<void>;
}

/** Relative to the engine's directory, in which this process runs. */
const DIRECTORY = 'incoming';
/** The engine takes `*?{}` in a path for a pattern, and an absolute path may contain them. */
const ENGINE_PATH = existsSync('/proc/self/cwd') ? `/proc/self/cwd/${DIRECTORY}` : DIRECTORY;

/**
 * Opens the spool directory and deletes the files of a process that was killed. A file exists as long as its insert.
 * @throws Error when the engine cannot read a file of the directory
 */
export async function openSpool(session: Session): Promise<Spool> {
  await rm(DIRECTORY, { recursive: true, force: true });
  await mkdir(DIRECTORY);
  await writeFile(`${DIRECTORY}/try`, 'a line');
  const found = await session.queryAsync(`SELECT count() FROM file('${ENGINE_PATH}/try', LineAsString)`, { format: 'TSV' });
  await rm(`${DIRECTORY}/try`);
  if (found.text().trim() !== '1') throw new Error('its path holds a character that the engine takes for a pattern: * ? { }');
  let files = 0;
  return {
    insert: async (session, table, rows, settings) => {
      const name = `${++files}.rows`;
      try {
        // without fsync: the write-ahead log has the rows until they are in the table
        await writeFile(`${DIRECTORY}/${name}`, rows);
        await session.queryAsync(`INSERT INTO ${table} (${EVENT_COLUMNS})
          SELECT ${EVENT_COLUMNS} FROM file('${ENGINE_PATH}/${name}', RowBinary, ${quoteText(EVENT_STRUCTURE)})
          SETTINGS ${settingsClause(settings)}`);
      } finally {
        await rm(`${DIRECTORY}/${name}`, { force: true });
      }
    },
  };
}
