import type { Clock } from '../ports/system.js';
import type { Output } from '../terminal/colors.js';

/** What a command uses of its process. */
export interface CommandIo {
  env: Record<string, string | undefined>;
  input: NodeJS.ReadableStream & { isTTY?: boolean };
  /** Results, for people and for other programs. */
  output: Output;
  /** Errors, prompts and progress. */
  errors: NodeJS.WritableStream;
  /** Leaves the processor to other processes that need it, from now on. Absent: the process is not the command's own. */
  lowerPriority?: () => void;
  /** Absent: the clock of the system. */
  clock?: Clock;
}

/** Writes a line of the result. */
export function print({ output }: CommandIo, line: string): void {
  output.write(`${line}\n`);
}
