import type { Blobs } from '../ports/blobs.js';
import { DATA, filesOf, listBackups, manifestKey, RUNS, readManifest } from './manifest.js';

interface OldBackups {
  /** Name of the backup that was just made. */
  newest: string;
  source: string;
  /** How many of the same installation are kept; null: all. */
  keep: number | null;
}

/** Deletes older backups, then all files that no backup needs. Returns the names of what was deleted. */
export async function deleteOldBackups(folder: Blobs, { newest, source, keep }: OldBackups): Promise<string[]> {
  const names = await listBackups(folder);
  const manifests = new Map<string, Awaited<ReturnType<typeof readManifest>>>();
  // a manifest that cannot be read keeps nothing from being deleted, so nothing is
  for (const name of names) manifests.set(name, await readManifest(folder, name));
  const own = names.filter((name) => manifests.get(name)?.source === source);
  const old = keep === null ? [] : own.slice(0, -keep);
  for (const name of old) {
    // without its manifest it is no backup, whatever is left of it
    await folder.delete(manifestKey(name));
    await folder.deleteAll(`${RUNS}${name}/`);
    manifests.delete(name);
  }
  const needed = new Set([...manifests.values()].flatMap((manifest) => filesOf(manifest).map(({ key }) => key)));
  for await (const { key } of folder.list(DATA)) if (!needed.has(key)) await folder.delete(key);
  const brokenOff = new Set<string>();
  for await (const { key } of folder.list(RUNS)) {
    const [, name = ''] = key.split('/');
    if (!manifests.has(name) && name < newest) brokenOff.add(name);
  }
  for (const name of brokenOff) await folder.deleteAll(`${RUNS}${name}/`);
  return old;
}
