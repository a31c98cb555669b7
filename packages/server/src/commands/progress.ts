import { InvalidArgumentError } from 'commander';
import type { CommandIo } from './command-io.js';

/** Writes how far a command is: on a terminal in one line, elsewhere not at all. */
export function printProgress({ errors }: CommandIo): { report(progress: string): void; end(): void } {
  const isTerminal = 'isTTY' in errors && errors.isTTY === true;
  if (!isTerminal) return { report: () => {}, end: () => {} };
  return {
    report: (progress) => errors.write(`\r\x1b[K${progress}`),
    end: () => errors.write('\r\x1b[K'),
  };
}

/** An option that is a whole number from 1 on. */
export function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError('It is a whole number from 1 to 9999.');
  return Number(text);
}
