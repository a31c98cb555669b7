import { pino } from 'pino';
import { loadConfig, parseBackupPlace } from '../config.js';
import type { Blobs } from '../ports/blobs.js';
import type { CommandIo } from './command-io.js';

/** Opens the folder or bucket of backups that an argument names, for reading. The caller closes it. @throws Error in one sentence */
export async function openBackups(io: CommandIo, from: string): Promise<Blobs> {
  const config = loadConfig({ ...io.env, TIDEMARK_BACKUP: `${from} daily` });
  const { openFolder } = await import('../open-stores.js');
  return openFolder(parseBackupPlace(config, from), { fsync: false, isReadOnly: true, log: pino({ level: 'silent' }) });
}

/** Names of all whole backups, oldest first. @throws Error in one sentence when there is none */
export async function requireBackups(folder: Blobs, from: string): Promise<[string, ...string[]]> {
  const { listBackups } = await import('../backup/index.js');
  const [first, ...others] = await listBackups(folder);
  if (first === undefined) throw new Error(`There is no whole backup in ${from}.`);
  return [first, ...others];
}

/** The name of the chosen backup. @param at null: the newest one @throws Error in one sentence when there is none of that name */
export async function chooseBackup(folder: Blobs, from: string, at: string | null): Promise<string> {
  const names = await requireBackups(folder, from);
  const name = at ?? names.at(-1) ?? names[0];
  if (!names.includes(name)) throw new Error(`There is no whole backup ${at} in ${from}.`);
  return name;
}
