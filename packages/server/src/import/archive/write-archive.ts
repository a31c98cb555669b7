import { once } from 'node:events';
import { createWriteStream, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { boundsOf, queryEvents } from '../events/api-events.js';
import { ImportError } from '../import-error.js';
import { apiSource, isUnavailable, OBJECT_KINDS, type ObjectSource } from '../objects/object-source.js';
import type { ImportReport } from '../report.js';
import { codeOf } from '../state.js';
import { type Access, type ClientContext, openProject, type Target } from '../target.js';
import { LARGE_KINDS, MANIFEST, type Manifest, manifestSchema } from './format.js';

/** What `tidemark export` does. */
export interface ExportOptions {
  folder: string;
  source: Access;
  /** Epoch milliseconds; null: all events. */
  since: number | null;
  until: number | null;
  report: ImportReport;
  onStep: (name: string) => void;
  onProgress: (events: number, where: string) => void;
}

/**
 * Writes a project to a folder: events by month, persons and groups as JSON lines, everything else as JSON. Months that an earlier run has
 * finished are not written again.
 * @throws ImportError the source or the folder cannot be used
 */
export async function exportProject(options: ExportOptions, context: ClientContext): Promise<void> {
  const source = await openProject(options.source, 'the source', context);
  const { folder, report } = options;
  try {
    mkdirSync(join(folder, 'events'), { recursive: true });
    mkdirSync(join(folder, 'objects'), { recursive: true });
    const manifest = readManifest(folder, source.name, options);
    await exportObjects(folder, apiSource(source), manifest, options);
    options.onStep('events');
    await exportEvents(source, manifest, options);
    removeOtherMonths(folder, manifest);
    manifest.finished = true;
    writeManifest(folder, manifest);
  } catch (error) {
    if (error instanceof Error && 'code' in error)
      throw new ImportError(`${folder} cannot be written (${codeOf(error)}). Run the command again: it continues.`);
    throw error;
  }
  report.note(`The export is in ${folder}. tidemark import archive ${folder} reads it.`);
}

function readManifest(folder: string, source: string, { since, until }: Pick<ExportOptions, 'since' | 'until'>): Manifest {
  let text: string;
  try {
    text = readFileSync(join(folder, MANIFEST), 'utf8');
  } catch {
    const manifest: Manifest = {
      format: 'tidemark-export',
      version: 1,
      source,
      finished: false,
      since,
      until,
      events: {},
      objects: {},
    };
    writeManifest(folder, manifest);
    return manifest;
  }
  const before = readJson(text);
  if (before === null) throw new ImportError(`${folder} has a ${MANIFEST} that cannot be read: choose another folder.`);
  if (before.source !== source) throw new ImportError(`${folder} has the export of another project: choose another folder.`);
  const isSameRange = (before.since ?? null) === since && (before.until ?? null) === until;
  // the newest month may have grown; months of another range may be incomplete
  const events = isSameRange ? Object.fromEntries(Object.entries(before.events).sort().slice(0, -1)) : {};
  const manifest: Manifest = { ...before, since, until, finished: false, events };
  writeManifest(folder, manifest);
  return manifest;
}

function readJson(text: string): Manifest | null {
  try {
    return manifestSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

const writeManifest = (folder: string, manifest: Manifest): void =>
  writeWhole(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);

/** Writes a file so that it is there as a whole or not at all. */
function writeWhole(path: string, text: string): void {
  try {
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  } catch (error) {
    rmSync(`${path}.new`, { force: true });
    throw error;
  }
}

async function exportObjects(
  folder: string,
  source: ObjectSource,
  manifest: Manifest,
  { report, onStep }: ExportOptions,
): Promise<void> {
  for (const kind of OBJECT_KINDS) {
    if (kind === 'recordings') continue;
    onStep(kind);
    try {
      let count = 0;
      if (LARGE_KINDS.has(kind)) {
        await writeLines(
          join(folder, `${kind}.jsonl.gz`),
          (async function* () {
            for await (const object of source.list(kind)) {
              count++;
              yield `${JSON.stringify(object)}\n`;
            }
          })(),
        );
      } else {
        const list: object[] = [];
        for await (const object of source.list(kind)) list.push(object);
        count = list.length;
        writeWhole(join(folder, 'objects', `${kind}.json`), `${JSON.stringify(list, null, 1)}\n`);
      }
      manifest.objects[kind] = count;
      report.count(kind, 'imported', count);
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      report.explain(kind, `the source does not give access: ${error.message}`);
    }
  }
  writeManifest(folder, manifest);
}

/** Removes months of an earlier export, which was for another range. */
function removeOtherMonths(folder: string, { events }: Manifest): void {
  for (const name of readdirSync(join(folder, 'events')))
    if (/^\d{4}-\d\d\.jsonl\.gz$/.test(name) && events[name] === undefined) rmSync(join(folder, 'events', name));
}

/** The first moment after the month of a time. */
const endOfMonth = (ms: number): number => Date.UTC(new Date(ms).getUTCFullYear(), new Date(ms).getUTCMonth() + 1);

async function exportEvents(source: Target, manifest: Manifest, options: ExportOptions): Promise<void> {
  const { folder, report, since, until, onProgress } = options;
  let written = 0;
  const bounds = await boundsOf(source, options);
  if (!bounds) return;
  for (let from = bounds.first; from <= bounds.last; from = endOfMonth(from)) {
    const name = `${new Date(from).toISOString().slice(0, 7)}.jsonl.gz`;
    const done = manifest.events[name];
    if (done !== undefined) {
      report.count('events', 'present', done);
      continue;
    }
    let count = 0;
    const range = {
      since: Math.max(from, since ?? from),
      until: Math.min(endOfMonth(from), until ?? Number.POSITIVE_INFINITY),
      isNewestFirst: false,
      cursor: null,
    };
    await writeLines(
      join(folder, 'events', name),
      (async function* () {
        for await (const { events } of queryEvents(source, range, report)) {
          for (const event of events) yield `${JSON.stringify(event)}\n`;
          count += events.length;
          onProgress(written + count, name);
        }
      })(),
    );
    written += count;
    manifest.events[name] = count;
    report.count('events', 'imported', count);
    writeManifest(folder, manifest);
  }
}

/** Writes lines with gzip; the file has its name once it is whole. */
async function writeLines(path: string, lines: AsyncIterable<string>): Promise<void> {
  const gzip = createGzip({ level: 6 });
  const written = pipeline(gzip, createWriteStream(`${path}.new`));
  written.catch(() => {});
  try {
    for await (const line of lines) if (!gzip.write(line)) await Promise.race([once(gzip, 'drain'), written]);
    gzip.end();
    await written;
    renameSync(`${path}.new`, path);
  } catch (error) {
    gzip.destroy();
    rmSync(`${path}.new`, { force: true });
    throw error;
  }
}
