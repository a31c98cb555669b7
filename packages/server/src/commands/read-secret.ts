import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { CommandIo } from './command-io.js';

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
