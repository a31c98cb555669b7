import type { ImportedEvent, ImportedPerson, Problem } from '../events/event.js';
import type { InputFile } from '../files/find-files.js';

/** Turns one record of a file into an event or a person, into several where the source has sums or lists, or says why not. */
export type Translate = (record: object) => Made | readonly Made[];
/** What a record becomes. */
export type Made = ImportedEvent | ImportedPerson | Problem;

/** How the records of a source become events. */
export interface EventFormat {
  /** As people write it: `posthog`. */
  name: string;
  /** Whether a file in a folder belongs to it; all files by default. */
  matches?: (name: string) => boolean;
  /** Files that say more about the events of others: which they are, and the format with what is in them. */
  beside?: { matches: (name: string) => boolean; read: (files: readonly InputFile[]) => Promise<EventFormat> };
  /** The column of Parquet files whose texts are read as bytes (`Uint8Array`), because most of them are sent as they are. */
  bytesOf?: string;
  /** Begins a file. */
  open: (file: string) => Translate;
}

/** A member of a record. */
export const member = (record: object, name: string): unknown =>
  Object.hasOwn(record, name) ? (record as Record<string, unknown>)[name] : undefined;

/** A text that is not empty; undefined otherwise. */
export const filled = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** A text that is not empty, or a number as text; undefined otherwise. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'number' || typeof value === 'bigint' ? String(value) : filled(value);
