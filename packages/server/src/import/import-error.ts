/** Ends an import with a sentence for the person who runs it. What was imported before stays, and the state file has it. */
export class ImportError extends Error {
  override name = 'ImportError';
}
