import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import { isObject, type JsonObject } from '../../kernel/json.js';
import { localFile } from '../files/bytes.js';
import { readLines } from '../files/read-lines.js';
import { ImportError } from '../import-error.js';
import type { ObjectKind, ObjectSource } from '../objects/object-source.js';
import { LARGE_KINDS, MANIFEST, manifestSchema } from './format.js';

/**
 * The objects of the folder that `tidemark export` wrote.
 * @throws ImportError it is not such a folder, or the export did not end
 */
export function archiveSource(folder: string): ObjectSource {
  let manifest: z.output<typeof manifestSchema>;
  try {
    manifest = manifestSchema.parse(JSON.parse(readFileSync(join(folder, MANIFEST), 'utf8')));
  } catch {
    throw new ImportError(`${folder} is not the folder of an export: it has no ${MANIFEST} that can be read.`);
  }
  if (!manifest.finished) throw new ImportError(`The export in ${folder} did not end: run tidemark export again, it continues.`);
  return {
    // recordings are not part of an export
    snapshots: async function* () {},
    list: (kind) =>
      LARGE_KINDS.has(kind) ? lines(join(folder, `${kind}.jsonl.gz`)) : items(join(folder, 'objects', `${kind}.json`), kind),
  };
}

async function* lines(path: string): AsyncGenerator<JsonObject> {
  if (!existsSync(path)) return;
  for await (const { records } of readLines(localFile(path), 0)) {
    for (const record of records) if ('value' in record && isObject(record.value)) yield record.value;
  }
}

async function* items(path: string, kind: ObjectKind): AsyncGenerator<JsonObject> {
  if (!existsSync(path)) return;
  const list: unknown = JSON.parse(readFileSync(path, 'utf8'));
  if (!Array.isArray(list)) throw new ImportError(`${path} is not a list of ${kind}.`);
  yield* list.filter(isObject);
}

/** The folder with the events of an export; null: it has none. */
export function eventFolder(folder: string): string | null {
  const path = join(folder, 'events');
  return existsSync(path) ? path : null;
}
