import type { ImportedEvent, Problem } from '../events/event.js';

/** Turns one record of a file into an event, into several where the source has sums, or says why not. */
export type Translate = (record: object) => ImportedEvent | ImportedEvent[] | Problem;

/** How the records of a source become events. */
export interface EventFormat {
  /** As people write it: `posthog`. */
  name: string;
  /** Whether a file in a folder belongs to it; all files by default. */
  matches?: (name: string) => boolean;
  /** Begins a file. */
  open: (file: string) => Translate;
}

/** A member of a record. */
export const member = (record: object, name: string): unknown =>
  Object.hasOwn(record, name) ? (record as Record<string, unknown>)[name] : undefined;

/** A text that is not empty; undefined otherwise. */
export const filled = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
