import { Command } from 'commander';
import { pino } from 'pino';
import type { Stores } from '../backup/index.js';
import { type Config, loadConfig, parseBackupPlace } from '../config.js';
import { VERSION } from '../version.js';
import { type CommandIo, print } from './command-io.js';
import { printProgress, wholeNumber } from './progress.js';

/** How often the state of a backup that the service makes is read; milliseconds. */
const LOOK_MS = 500;
/** How long the service may take to begin with it; milliseconds. */
const PATIENCE_MS = 120_000;

/** `tidemark backup`: copies everything into a folder or a bucket. */
export const backupCommand = (io: CommandIo): Command =>
  new Command('backup')
    .description('copy events, PostgreSQL and files into a folder or bucket, while the service runs')
    .argument('<folder>', 'a folder, or s3://bucket/prefix; it may have earlier backups of the same installation')
    .option('--keep <number>', 'delete older backups but for that many, with this one', wholeNumber)
    .option('--migrate', 'bring data of an older version, whose service is stopped, to the schema of this one first', false)
    .addHelpText(
      'after',
      `
Run it as the user of the service, with the same settings. Files of the newest backup in the folder are used again. A bucket is reached
by the TIDEMARK_S3_* settings; those of the service count if it runs with embedded stores. TIDEMARK_BACKUP makes backups by itself.`,
    )
    .action(async (folder: string, { keep, migrate }: { keep?: number; migrate: boolean }) => {
      const config = loadConfig({ ...io.env, TIDEMARK_BACKUP: `${folder} daily` });
      const target = config.backup?.target ?? folder;
      const { shareStores } = await import('../open-stores.js');
      const stores = await shareStores(config, pino({ level: 'silent' }), migrate);
      if (!stores) return print(io, await askService(io, config, target, keep ?? null));
      try {
        print(io, await makeHere(io, config, stores, target, keep ?? null));
      } finally {
        await stores.close();
      }
    });

async function makeHere(io: CommandIo, config: Config, stores: Stores, target: string, keep: number | null): Promise<string> {
  const [{ openFolder, systemClock }, { makeBackup, summaryOf }] = await Promise.all([
    import('../open-stores.js'),
    import('../backup/index.js'),
  ]);
  const log = pino({ level: 'silent' });
  const open = () => openFolder(parseBackupPlace(config, target), { fsync: config.fsync, log });
  const progress = printProgress(io);
  try {
    const result = await makeBackup(stores, open, { clock: systemClock, version: VERSION, keep, report: progress.report });
    return summaryOf(result, target);
  } finally {
    progress.end();
  }
}

/** Has the running service make a backup, because the embedded event engine belongs to one process. @throws Error in one sentence */
async function askService(io: CommandIo, config: Config, target: string, keep: number | null): Promise<string> {
  const [{ openMetadata }, { createScheduler, systemClock }, { readRequest, requestBackup, withdrawRequest }, { sleep }] =
    await Promise.all([
      import('../open-metadata.js'),
      import('../open-stores.js'),
      import('../backup/index.js'),
      import('../kernel/scheduler.js'),
    ]);
  const scheduler = createScheduler();
  const clock = io.clock ?? systemClock;
  const { db, close } = await openMetadata(config, pino({ level: 'silent' }));
  const progress = printProgress(io);
  try {
    const began = clock.now();
    const id = await requestBackup(db, { target, keep, isScheduled: false, now: began });
    for (;;) {
      const request = await readRequest(db, id);
      if (!request || request.state === 'failed') throw new Error(request?.message || 'The backup failed.');
      if (request.state === 'done') return request.message;
      if (request.state === 'waiting' && clock.now() > began + PATIENCE_MS && (await withdrawRequest(db, id))) {
        throw new Error(
          'The running Tidemark does not begin with the backup: read its log, and see that TIDEMARK_ROLES has "jobs".',
        );
      }
      progress.report(request.message || 'waits for the service');
      await sleep(scheduler, LOOK_MS);
    }
  } finally {
    progress.end();
    await close();
  }
}
