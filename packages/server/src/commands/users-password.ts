import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { parseArgs } from 'node:util';
import { type Logger, pino } from 'pino';
import { type Config, loadConfig } from '../config.js';
import type { Db } from '../ports/db.js';
import { createPasswords, resetPassword } from '../resources/accounts/index.js';
import type { CommandResult } from './command-result.js';

const USAGE = `tidemark users:password EMAIL: gives an account a new password and ends its sessions

  The new password is asked for, or read from the standard input when that is no terminal:
    tidemark users:password ada@example.com < password.txt

  Run it as the user of the service, with the same TIDEMARK_DATA or DATABASE_URL. The service may run or not.
`;

/** Opens the metadata database for the command. */
export type OpenMetadata = (config: Config, log: Logger) => Promise<{ db: Db; close(): Promise<void> }>;

/** Runs the command `users:password`. Never throws: an error becomes the text of the result, one sentence, with exit code 1. */
export async function usersPassword(
  args: readonly string[],
  env: Record<string, string | undefined>,
  terminal: Terminal,
  openMetadata: OpenMetadata,
): Promise<CommandResult> {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { help: { type: 'boolean' } },
      allowPositionals: true,
    });
    if (values.help) return { text: USAGE, code: 0 };
    const [email] = positionals;
    if (email === undefined || positionals.length !== 1) throw new Error('Name one account: tidemark users:password EMAIL');
    const config = loadConfig(env);
    const password = await readSecret(terminal, `New password of ${email}: `);
    const { db, close } = await openMetadata(config, pino({ level: 'silent' }));
    try {
      const found = await resetPassword({ db, passwords: createPasswords() }, email, password);
      if (found === null) throw new Error(`There is no account with the e-mail address ${email}.`);
      return { text: `${found} has a new password; its sessions have ended, its personal API keys have not.`, code: 0 };
    } finally {
      await close();
    }
  } catch (error) {
    return { text: error instanceof Error ? error.message : String(error), code: 1 };
  }
}

/** Input and output of a command that prompts. */
export interface Terminal {
  input: NodeJS.ReadableStream & { isTTY?: boolean };
  output: NodeJS.WritableStream;
}

/**
 * Reads a secret. A terminal prompts twice, without echo; from a pipe it is the whole input without a line break at its end.
 * @throws Error with one sentence if the two inputs differ or are empty
 */
export async function readSecret(terminal: Terminal, prompt: string): Promise<string> {
  const secret = terminal.input.isTTY ? await askTwice(terminal, prompt) : await readAll(terminal.input);
  if (secret === '') throw new Error('No password was given.');
  return secret;
}

async function readAll(input: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of input) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '');
}

async function askTwice({ input, output }: Terminal, prompt: string): Promise<string> {
  // readline echoes the typed characters into this stream, which discards them
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: silent, terminal: true });
  const ended = new AbortController();
  lines.once('close', () => ended.abort());
  const ask = async (text: string) => {
    output.write(text);
    const answer = await lines.question('', { signal: ended.signal }).catch(() => '');
    output.write('\n');
    return answer;
  };
  try {
    const first = await ask(prompt);
    if (first !== '' && (await ask('Again: ')) !== first) throw new Error('The two passwords differ.');
    return first;
  } finally {
    lines.close();
  }
}
