/** User SQL is invalid or not allowed. The message is shown to its author. */
export class SqlFault extends Error {
  override name = 'SqlFault';
}
