import { pino } from 'pino';
import { loadConfig } from '../config.js';
import type { Db } from '../ports/db.js';
import type { Clock, Ids } from '../ports/system.js';
import type { CommandIo } from './command-io.js';

/** What a command that changes accounts uses. */
interface OperatorDeps {
  db: Db;
  clock: Clock;
  ids: Ids;
}

/**
 * Runs the work of a command on the metadata database, beside the service or in its place.
 * @param options options of the command by the fields whose rules they must obey, to name them in an error
 * @throws Error in one sentence
 */
export async function asOperator<T>(
  io: CommandIo,
  options: Readonly<Record<string, string>>,
  work: (deps: OperatorDeps) => Promise<T>,
): Promise<T> {
  const [{ openMetadata }, { systemClock, systemIds }, { ApiError }] = await Promise.all([
    import('../open-metadata.js'),
    import('../adapters/system/index.js'),
    import('../kernel/errors.js'),
  ]);
  const { db, close } = await openMetadata(loadConfig(io.env), pino({ level: 'silent' }));
  try {
    return await work({ db, clock: systemClock, ids: systemIds });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const option = options[error.body.attr?.split('__')[0] ?? ''];
    throw option ? new Error(`${option}: ${error.message}`, { cause: error }) : error;
  } finally {
    await close();
  }
}
