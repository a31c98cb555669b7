import { Command } from 'commander';
import type { Manifest } from '../backup/index.js';
import { type Config, loadConfig } from '../config.js';
import type { Blobs } from '../ports/blobs.js';
import { chooseBackup, openBackups, requireBackups } from './backup-folder.js';
import { type CommandIo, print } from './command-io.js';
import { fillTarget } from './fill-target.js';
import { printProgress } from './progress.js';

interface Options {
  at?: string;
  list: boolean;
  forMove: boolean;
}

/** `tidemark restore`: fills an empty data directory, or empty servers, from a backup. */
export const restoreCommand = (io: CommandIo): Command =>
  new Command('restore')
    .description('fill an empty data directory, or empty servers, from a backup')
    .argument('<folder>', 'the folder or s3://bucket/prefix that "tidemark backup" was given')
    .option('--at <name>', 'the backup of that name; without it the newest one')
    .option('--list', 'list the backups of the folder, and restore none', false)
    .option('--for-move', 'restore events and files alone, so that "tidemark move" has less to copy', false)
    .addHelpText(
      'after',
      `
The target is that of the settings: TIDEMARK_DATA, or DATABASE_URL, CLICKHOUSE_URL and TIDEMARK_BLOBS. It has to be empty. A restore that was
interrupted goes on when it is run again; until it is done, the service does not start on the target.`,
    )
    .action(async (from: string, { at, list, forMove }: Options) => {
      const config = loadConfig({ ...io.env, TIDEMARK_BACKUP: `${from} daily` });
      const folder = await openBackups(io, from);
      try {
        if (list) return await printList(io, folder, from);
        await restoreFrom(io, config, folder, { from, at, forMove });
      } finally {
        await folder.close();
      }
    });

async function printList(io: CommandIo, folder: Blobs, from: string): Promise<void> {
  const { readManifest } = await import('../backup/index.js');
  for (const name of await requireBackups(folder, from)) {
    const { version, events, blobs } = await readManifest(folder, name);
    print(io, `${name}  Tidemark ${version}  ${eventsIn(events.units)} events  ${blobs.length} files`);
  }
}

async function restoreFrom(
  io: CommandIo,
  config: Config,
  folder: Blobs,
  { from, at, forMove }: { from: string; at: string | undefined; forMove: boolean },
): Promise<void> {
  const [{ readManifest, requireRestorable, restore }, { knownEventMigrations, knownMigrations }] = await Promise.all([
    import('../backup/index.js'),
    import('../open-stores.js'),
  ]);
  const name = await chooseBackup(folder, from, at ?? null);
  const manifest = await readManifest(folder, name);
  await requireRestorable(folder, manifest, { metadata: await knownMigrations(), events: await knownEventMigrations() });
  const progress = printProgress(io);
  try {
    const command = ['tidemark restore', from, ...(at ? ['--at', at] : []), ...(forMove ? ['--for-move'] : [])].join(' ');
    const after = forMove ? 'tidemark move' : undefined;
    await fillTarget(
      config,
      { source: manifest.source, command },
      { migrations: manifest.metadata.schema, next: after },
      (stores) => restore(stores, folder, manifest, { report: progress.report, withMetadata: !forMove }),
    );
  } finally {
    progress.end();
  }
  const next = forMove ? 'Go on with "tidemark move".' : 'Start the service.';
  print(
    io,
    `The backup ${name} is restored: ${eventsIn(manifest.events.units)} events and ${manifest.blobs.length} files. ${next}`,
  );
}

const eventsIn = (units: Manifest['events']['units']): string =>
  units
    .filter(({ table }) => table === 'events')
    .reduce((sum, { rows }) => sum + rows, 0)
    .toLocaleString('en');
