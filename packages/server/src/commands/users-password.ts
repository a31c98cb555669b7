import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { Command } from 'commander';
import { pino } from 'pino';
import { loadConfig } from '../config.js';
import { type CommandIo, print } from './command-io.js';

/** `tidemark users:password`: gives an account a new password and ends its sessions. */
export const usersPasswordCommand = (io: CommandIo): Command =>
  new Command('users:password')
    .description('give an account a new password, and end its sessions')
    .argument('<email>', 'e-mail address of the account')
    .addHelpText(
      'after',
      `
The command prompts for the new password, or reads it from the standard input when that is no terminal:
  tidemark users:password ada@example.com < password.txt

Run it as the user of the service, with the same TIDEMARK_DATA or DATABASE_URL. The service may run or not.`,
    )
    .action(async (email: string) => {
      const [{ openMetadata }, { createPasswords, resetPassword }] = await Promise.all([
        import('../open-metadata.js'),
        import('../resources/accounts/index.js'),
      ]);
      const config = loadConfig(io.env);
      const password = await readSecret(io, `New password of ${email}: `);
      const { db, close } = await openMetadata(config, pino({ level: 'silent' }));
      try {
        const found = await resetPassword({ db, passwords: createPasswords() }, email, password);
        if (found === null) throw new Error(`There is no account with the e-mail address ${email}.`);
        print(io, `${found} has a new password; its sessions have ended, its personal API keys have not.`);
      } finally {
        await close();
      }
    });

/**
 * Reads a secret. A terminal prompts twice, without echo; from a pipe it is the whole input without a line break at its end.
 * @throws Error with one sentence if the two inputs differ or are empty
 */
export async function readSecret(io: CommandIo, prompt: string): Promise<string> {
  const secret = io.input.isTTY ? await askTwice(io, prompt) : await readAll(io.input);
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

async function askTwice({ input, errors }: CommandIo, prompt: string): Promise<string> {
  // readline echoes the typed characters into this stream, which discards them
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: silent, terminal: true });
  const ended = new AbortController();
  lines.once('close', () => ended.abort());
  const ask = async (text: string) => {
    errors.write(text);
    const answer = await lines.question('', { signal: ended.signal }).catch(() => '');
    errors.write('\n');
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
