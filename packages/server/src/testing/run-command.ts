import { PassThrough } from 'node:stream';
import { runProgram } from '../commands/program.js';
import type { Clock } from '../ports/system.js';

/** What a command wrote, and its exit code. */
export interface CommandRun {
  code: number;
  output: string;
  errors: string;
}

/**
 * Runs a command of `tidemark` in this process.
 * @param input the whole standard input, or the lines of a person at a terminal, who answers each prompt
 * @param clock that of an import; the system's by default
 */
export async function runCommand(
  args: readonly string[],
  env: Record<string, string> = {},
  input: { piped: string } | { typed: string[] } = { piped: '' },
  clock?: Clock,
): Promise<CommandRun> {
  const stdin = Object.assign(new PassThrough(), { isTTY: 'typed' in input, setRawMode: () => {} });
  const written = { output: '', errors: '' };
  const stream = (name: 'output' | 'errors') => {
    const through = new PassThrough();
    through.on('data', (chunk) => {
      written[name] += chunk;
      if ('typed' in input && String(chunk).endsWith(': ')) setImmediate(() => stdin.write(`${input.typed.shift() ?? ''}\r`));
    });
    return through;
  };
  if ('piped' in input) stdin.end(input.piped);
  const code = await runProgram(args, {
    env,
    input: stdin,
    output: stream('output'),
    errors: stream('errors'),
    ...(clock ? { clock } : {}),
  });
  return { code, ...written };
}
