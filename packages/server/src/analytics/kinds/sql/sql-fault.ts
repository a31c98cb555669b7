/** What a statement asks for that it may not, or that cannot be read; the message is for its author. */
export class SqlFault extends Error {
  override name = 'SqlFault';
}
