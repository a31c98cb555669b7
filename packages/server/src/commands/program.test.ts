import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runCommand } from '../testing/run-command.js';
import { VERSION } from '../version.js';

test('the help lists every command, and each command has a help of its own', async () => {
  const help = await runCommand(['--help']);
  expect(help).toMatchObject({ code: 0, errors: '' });
  const names = [...help.output.matchAll(/^ {2}([a-z:-]+) .*\S$/gm)]
    .map(([, name = '']) => name)
    .filter((name) => name !== 'help');
  expect(names).toEqual(expect.arrayContaining(['serve', 'users:create', 'keys:create', 'migrate', 'flags:types']));
  const page = await readFile(new URL('../../../../docs/guide/commands.md', import.meta.url), 'utf8');
  for (const name of names) {
    expect(page).toContain(`| \`tidemark ${name}\` |`);
    expect(await runCommand([name, '--help'])).toMatchObject({ code: 0, output: expect.stringContaining(`tidemark ${name}`) });
  }
  expect(await runCommand(['--version'])).toEqual({ code: 0, output: `${VERSION}\n`, errors: '' });
});

test('a reader that closes the pipe is no error', async () => {
  const main = fileURLToPath(new URL('../../dist/bundle/tidemark.js', import.meta.url));
  const child = spawn(process.execPath, [main, '--help'], { stdio: ['ignore', 'pipe', 'pipe'] });
  // long before the command writes
  child.stdout.destroy();
  const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  expect([code, errors]).toEqual([0, '']);
});

test.each([
  [['serv'], "unknown command 'serv'", 'Did you mean serve?'],
  [['help', 'serv'], "unknown command 'serv'", 'Did you mean serve?'],
  [['help', 'nonsense'], "unknown command 'nonsense'", '--help'],
  [['cluster', 'chek'], "unknown command 'chek'", 'Did you mean check?'],
  [['users:password'], "missing required argument 'email'", '--help'],
  [['users:password', 'a@example.com', 'b@example.com'], 'too many arguments', '--help'],
  [['flags:types', '--colour'], "unknown option '--colour'", '--help'],
  [['sample', '1', '--remov'], "unknown option '--remov'", 'Did you mean --remove?'],
])('wrong use ends with 2 and says what is wrong: %j', async (args, ...sentences) => {
  const { code, output, errors } = await runCommand(args);
  expect([code, output]).toEqual([2, '']);
  for (const sentence of sentences) expect(errors).toContain(sentence);
});

test.each([[['help']], [['help', 'backup']], [['cluster', 'help', 'check']]])('%j prints a help', async (args) => {
  expect(await runCommand(args)).toMatchObject({ code: 0, errors: '', output: expect.stringContaining('Usage: tidemark') });
});
