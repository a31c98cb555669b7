import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import type { Blobs } from '../ports/blobs.js';
import { COPIED_TABLES } from '../ports/event-copies.js';
import { writeFile } from './files.js';

/** The version of the form of backups. */
const FORM = 1;

const file = z.object({
  /** Its key in the backup folder. */
  key: z.string(),
  bytes: z.number(),
  sha256: z.string(),
});
/** A file of a backup. */
export type BackupFile = z.infer<typeof file>;

const manifest = z.object({
  form: z.literal(FORM),
  /** Version of the service that made it. */
  version: z.string(),
  /** The moment that it shows. */
  startedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime(),
  /** Tells this installation from others. */
  source: z.string(),
  metadata: z.object({
    /** Versions of the applied migrations. */
    schema: z.array(z.number()),
    tables: z.array(
      z.object({
        table: z.string(),
        columns: z.array(z.string()),
        rows: z.number(),
        file,
      }),
    ),
    sequences: z.array(z.object({ name: z.string(), value: z.number() })),
  }),
  events: z.object({
    engine: z.string(),
    /** Names of the applied migrations. */
    schema: z.array(z.string()),
    columns: z.record(z.enum(COPIED_TABLES), z.array(z.string())),
    units: z.array(z.object({ table: z.enum(COPIED_TABLES), part: z.string(), rows: z.number(), checksum: z.string(), file })),
  }),
  blobs: z.array(z.object({ blob: z.string(), file })),
});

/** All that a backup consists of. It is written last: a folder without it is no backup. */
export type Manifest = z.infer<typeof manifest>;

const envelope = z.object({ sha256: z.string(), manifest: z.string() });

/** Folder of the files that backups share. */
export const DATA = 'data/';
/** Folder of what belongs to one backup alone. */
export const RUNS = 'backups/';
const NAME = /^backups\/([0-9TZ-]+)\/manifest\.json$/;

/** The name of a backup by its time, such as `2026-11-26T18-20-46-123Z`. */
export const nameOf = (time: number): string => new Date(time).toISOString().replace(/[:.]/g, '-');

/** Key of the manifest of a backup. */
export const manifestKey = (name: string): string => `${RUNS}${name}/manifest.json`;

/** What says that the files of a folder are those of backups, so that unused ones may be deleted. */
const MARK = 'tidemark-backups.txt';
const MARK_TEXT = 'Tidemark keeps backups here. It deletes files in data/ and backups/ that no backup needs.\n';

/** Marks a folder as that of backups. @throws Error in one sentence when it has files of something else */
export async function markFolder(folder: Blobs): Promise<void> {
  if ((await folder.size(MARK)) !== null) return;
  if ((await listBackups(folder)).length === 0) {
    for (const prefix of [DATA, RUNS]) {
      for await (const { key } of folder.list(prefix))
        throw new Error(`The folder has files that are not of a backup (${key}): name an empty one.`);
    }
  }
  await writeFile(folder, MARK, Readable.from([Buffer.from(MARK_TEXT)]));
}

/** Names of all whole backups of a folder, oldest first. */
export async function listBackups(folder: Blobs): Promise<string[]> {
  const names: string[] = [];
  for await (const { key } of folder.list(RUNS)) {
    const [, name] = NAME.exec(key) ?? [];
    if (name) names.push(name);
  }
  return names.sort();
}

/** Writes the manifest with its checksum, which makes the backup whole. */
export async function writeManifest(folder: Blobs, name: string, content: Manifest): Promise<void> {
  const text = JSON.stringify(content);
  await writeFile(
    folder,
    manifestKey(name),
    Readable.from([Buffer.from(JSON.stringify({ sha256: sha256Of(text), manifest: text }))]),
  );
}

/** @throws Error in one sentence when it is damaged or was made by a newer version */
export async function readManifest(folder: Blobs, name: string): Promise<Manifest> {
  const blob = await folder.get(manifestKey(name));
  if (!blob) throw new Error(`There is no backup ${name}.`);
  const bytes = await buffer(blob.stream);
  const outer = envelope.safeParse(parsed(bytes.toString()));
  if (!outer.success || sha256Of(outer.data.manifest) !== outer.data.sha256) {
    throw new Error(`The backup ${name} is damaged: its manifest does not agree with its checksum.`);
  }
  const content = parsed(outer.data.manifest);
  const inner = manifest.safeParse(content);
  if (!inner.success)
    throw new Error(`The backup ${name} was made by a newer Tidemark: restore it with that version or a later one.`);
  return inner.data;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const sha256Of = (text: string): string => createHash('sha256').update(text).digest('hex');

/** All files of a backup. */
export const filesOf = ({ metadata, events, blobs }: Manifest): BackupFile[] =>
  [...metadata.tables, ...events.units, ...blobs].map(({ file }) => file);
