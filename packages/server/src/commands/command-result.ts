/** What a command prints, and the exit code of its process. */
export interface CommandResult {
  text: string;
  code: 0 | 1;
}
