/** Ends an import with a sentence for the person who runs it. What was imported before stays, and the state file has it. */
export class ImportError extends Error {
  override name = 'ImportError';
}

/** The sentence of an error, for a report. */
export const sentenceOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
