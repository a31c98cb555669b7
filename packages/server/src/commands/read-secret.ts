import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

/** Where a command reads from, and where it asks. */
export interface Terminal {
  input: NodeJS.ReadableStream & { isTTY?: boolean };
  output: NodeJS.WritableStream;
}

/**
 * Reads a secret: from a terminal twice, without showing it, else all of the input but a line break at its end.
 * @throws Error in one sentence when the two differ or there is none
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
  // what is typed is echoed into the void
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
