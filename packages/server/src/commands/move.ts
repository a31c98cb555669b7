import { readFile } from 'node:fs/promises';
import { parseEnv } from 'node:util';
import { Command } from 'commander';
import { pino } from 'pino';
import { loadConfig } from '../config.js';
import { type CommandIo, print } from './command-io.js';
import { fillTarget } from './fill-target.js';
import { printProgress } from './progress.js';

/** Settings that say where data is. */
const STORES = [
  'TIDEMARK_DATA',
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'CLICKHOUSE_URL',
  'CLICKHOUSE_CA_FILE',
  'CLICKHOUSE_CLUSTER',
  'TIDEMARK_CLICKHOUSE_QUORUM',
  'TIDEMARK_BLOBS',
  'TIDEMARK_S3_ENDPOINT',
  'TIDEMARK_S3_REGION',
  'TIDEMARK_S3_ACCESS_KEY',
  'TIDEMARK_S3_SECRET_KEY',
];

/** `tidemark move`: copies everything to other stores. */
export const moveCommand = (io: CommandIo): Command =>
  new Command('move')
    .description('copy everything to other stores: from embedded ones to servers or a cluster, or back')
    .argument('<settings>', 'a file with the settings of the new stores, one NAME=value a line, as the service will have them')
    .addHelpText(
      'after',
      `
What is copied is that of the settings of this command. Stop the service first; its clients keep their events meanwhile. What an interrupted
move has copied is not copied again: run it again. To make the stop short, restore a backup into the new stores before, with
"tidemark restore --for-move".`,
    )
    .action(async (file: string) => {
      const here = loadConfig(io.env);
      const text = await readFile(file, 'utf8').catch(() => {
        throw new Error(`The file ${file} cannot be read.`);
      });
      const others = Object.fromEntries(Object.entries(io.env).filter(([name]) => !STORES.includes(name)));
      const there = loadConfig({ ...others, ...parseEnv(text) });
      if (here.dataDir === there.dataDir) {
        throw new Error(
          `TIDEMARK_DATA of ${file} has to be another directory than ${here.dataDir}: embedded stores and notes of the move are there.`,
        );
      }
      const [{ openStores, requireData }, { move, requireFinished, requireStopped, sourceId }] = await Promise.all([
        import('../open-stores.js'),
        import('../backup/index.js'),
      ]);
      await requireFinished(here);
      requireData(here);
      const from = await openStores(here, pino({ level: 'silent' }));
      const progress = printProgress(io);
      try {
        await requireStopped(from.db);
        const copy = { source: await sourceId(from.db), command: `tidemark move ${file}` };
        const { events, files, rows } = await fillTarget(there, copy, {}, (to) => move(from, to, progress.report));
        progress.end();
        print(
          io,
          `Moved and compared: ${events.toLocaleString('en')} events, ${rows.toLocaleString('en')} rows of PostgreSQL and ${files.toLocaleString('en')} files. Start the service with the settings of ${file}.`,
        );
      } finally {
        progress.end();
        await from.close();
      }
    });
