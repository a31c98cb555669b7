import { z } from 'zod';
import type { ObjectKind } from '../objects/object-source.js';

/*
 * An export is a folder:
 *
 *     manifest.json              version, source, whether it is finished
 *     events/2024-05.jsonl.gz    the events of a month, one JSON object a line
 *     persons.jsonl.gz           also groups.jsonl.gz
 *     objects/<kind>.json        a list of what the API shows
 */

/** The file that makes a folder an export. */
export const MANIFEST = 'manifest.json';

export const manifestSchema = z.object({
  format: z.literal('tidemark-export'),
  version: z.literal(1),
  source: z.string(),
  finished: z.boolean(),
  /** The range of events that the export was for, epoch milliseconds; absent or null: all. */
  since: z.number().nullish(),
  until: z.number().nullish(),
  /** Events of each file. */
  events: z.record(z.string(), z.number()),
  /** Kinds of objects that are written. */
  objects: z.record(z.string(), z.number()),
});
export type Manifest = z.output<typeof manifestSchema>;

/** Kinds with too many objects for one JSON document. */
export const LARGE_KINDS: ReadonlySet<ObjectKind> = new Set(['persons', 'groups']);
