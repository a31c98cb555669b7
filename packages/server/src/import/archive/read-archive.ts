import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import { isObject, type JsonObject } from '../../kernel/json.js';
import { localFile } from '../files/bytes.js';
import { readLines } from '../files/read-lines.js';
import { ImportError } from '../import-error.js';
import { OBJECT_KINDS, type ObjectKind, type ObjectSource } from '../objects/object-source.js';
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
  const files = [
    ...Object.keys(manifest.events).map((name) => `events/${name}`),
    ...OBJECT_KINDS.filter((kind) => manifest.objects[kind] !== undefined).map(fileOf),
  ];
  const missing = files.filter((name) => !existsSync(join(folder, name)));
  if (missing.length > 0) throw new ImportError(`The export in ${folder} is not complete: ${missing.join(', ')} is missing.`);
  return {
    // recordings are not part of an export
    snapshots: async function* () {},
    list: (kind) => (LARGE_KINDS.has(kind) ? lines : items)(join(folder, fileOf(kind))),
  };
}

/** The file of a kind in the folder. */
const fileOf = (kind: ObjectKind): string => (LARGE_KINDS.has(kind) ? `${kind}.jsonl.gz` : `objects/${kind}.json`);

/** @throws ImportError a line is no object */
async function* lines(path: string): AsyncGenerator<JsonObject> {
  if (!existsSync(path)) return;
  for await (const { at, records } of readLines(localFile(path), 0)) {
    for (const [index, record] of records.entries()) {
      if ('problem' in record) throw new ImportError(`${path}, record ${at + index + 1}: ${record.problem}.`);
      if (isObject(record.value)) yield record.value;
    }
  }
}

/** @throws ImportError the file has no list */
async function* items(path: string): AsyncGenerator<JsonObject> {
  if (!existsSync(path)) return;
  const list = listIn(readFileSync(path, 'utf8'));
  if (list === null) throw new ImportError(`${path} is not a list of objects: is the file complete?`);
  yield* list.filter(isObject);
}

function listIn(text: string): unknown[] | null {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list : null;
  } catch {
    return null;
  }
}

/** The folder with the events of an export; null: it has none. */
export function eventFolder(folder: string): string | null {
  const path = join(folder, 'events');
  return existsSync(path) ? path : null;
}
