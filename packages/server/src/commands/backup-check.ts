import { Command } from 'commander';
import type { Blobs } from '../ports/blobs.js';
import { chooseBackup, openBackups, requireBackups } from './backup-folder.js';
import { type CommandIo, print } from './command-io.js';
import { printProgress } from './progress.js';

interface Options {
  at?: string;
  all: boolean;
}

/** `tidemark backup:check`: reads backups, and restores none. */
export const backupCheckCommand = (io: CommandIo): Command =>
  new Command('backup:check')
    .description('read the files of a backup and compare them with their checksums; exit code 1 if one is damaged')
    .argument('<folder>', 'the folder or s3://bucket/prefix that "tidemark backup" was given')
    .option('--at <name>', 'the backup of that name; without it the newest one')
    .option('--all', 'all backups of the folder; a file that they share is read once', false)
    .addHelpText(
      'after',
      `
Nothing is written, and the service may run. A damaged file in data/ is written again by "tidemark backup" once it is deleted, if the service
still has its content.`,
    )
    .action(async (from: string, { at, all }: Options, command: Command) => {
      if (at && all) command.error('error: --at and --all exclude each other');
      const folder = await openBackups(io, from);
      try {
        const names = all ? await requireBackups(folder, from) : [await chooseBackup(folder, from, at ?? null)];
        await check(io, folder, names);
      } finally {
        await folder.close();
      }
    });

async function check(io: CommandIo, folder: Blobs, names: string[]): Promise<void> {
  const { checkBackups } = await import('../backup/index.js');
  const progress = printProgress(io);
  const { backups, files, bytes, faults } = await checkBackups(folder, names, progress.report).finally(progress.end);
  for (const fault of faults) print(io, fault);
  const subject = backups.length === 1 ? `The backup ${backups[0]}` : `The ${backups.length} backups`;
  if (faults.length > 0)
    throw new Error(`${subject} cannot be restored whole: ${faults.length === 1 ? 'one fault' : `${faults.length} faults`}.`);
  print(
    io,
    `${subject} ${backups.length === 1 ? 'is' : 'are'} whole: ${files.toLocaleString('en')} files with ${(bytes / 1_000_000).toFixed(1)} MB agree with their checksums.`,
  );
}
