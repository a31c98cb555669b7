import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { eventually, freePort } from '@tidemark/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

const MAIN = fileURLToPath(new URL('../../packages/server/dist/bundle/tidemark.js', import.meta.url));
// the escape sequence that begins a color
const COLOR = '\u001b[';

let dataDir: string;
let terminal: ChildProcess;
let shown: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tidemark-terminal-'));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));
beforeEach(() => {
  shown = '';
});
afterEach(() => void terminal.kill('SIGKILL'));

/** Runs the service at a pseudo terminal, which util-linux's `script` makes. */
async function start(env: Record<string, string> = {}): Promise<{ url: string }> {
  const port = await freePort();
  terminal = spawn('script', ['--quiet', '--return', '--command', `exec ${process.execPath} ${MAIN}`, '/dev/null'], {
    env: {
      PATH: process.env.PATH,
      TERM: 'xterm-256color',
      PORT: String(port),
      TIDEMARK_DATA: dataDir,
      TIDEMARK_FSYNC: 'off',
      ...env,
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  terminal.stdout?.on('data', (chunk) => {
    shown += chunk;
  });
  await eventually(
    async () => {
      expect(shown).toMatch(/API reference: /);
      expect((await fetch(`http://127.0.0.1:${port}/_ready`)).status).toBe(200);
    },
    { within: 180_000, every: 50 },
  );
  return { url: `http://127.0.0.1:${port}` };
}

/** Presses Ctrl+C and waits for the end. @returns the exit code */
async function interrupt(): Promise<number | null> {
  const closed = once(terminal, 'close');
  terminal.stdin?.write('\u0003');
  const [code] = await closed;
  return code;
}

// the first start, which makes the tables: the others open its data
test('TIDEMARK_LOG_LEVEL shows the log at a terminal', async () => {
  await start({ TIDEMARK_LOG_LEVEL: 'info' });
  expect(shown).toMatch(/"msg":"schema migrated"/);
  await interrupt();
  expect(shown).toMatch(/Tidemark has stopped\./);
});

test('at a terminal a start shows what is ready, the address and the next step in colors, and a stop says goodbye', async () => {
  const { url } = await start();
  expect(await interrupt()).toBe(0);
  expect(shown).toContain(COLOR);
  const lines = stripVTControlCharacters(shown)
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter(Boolean);
  expect(lines.slice(0, 9)).toEqual([
    expect.stringMatching(/^Tidemark \d+\.\d+\.\d+ starts$/),
    expect.stringMatching(/^ready {2}(PostgreSQL \(embedded\)|event store \(embedded ClickHouse\))$/),
    expect.stringMatching(/^ready {2}(PostgreSQL \(embedded\)|event store \(embedded ClickHouse\))$/),
    expect.stringMatching(/^ready {2}Tidemark, after \d+\.\d s$/),
    url,
    'Open it in a browser to make the first account.',
    `Data: ${dataDir}`,
    `API reference: ${url}/api/schema/ui/`,
    'Ctrl+C stops Tidemark. TIDEMARK_LOG_LEVEL=info shows each request.',
  ]);
  expect(lines.at(-2)).toMatch(/Tidemark stops: it stores what it has received\.$/);
  expect(lines.at(-1)).toBe('Tidemark has stopped. Everything that it received is stored.');
});

test('NO_COLOR leaves the colors out', async () => {
  await start({ NO_COLOR: '1' });
  await interrupt();
  expect(shown).not.toContain(COLOR);
});
