import { readFile } from 'node:fs/promises';
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

test.each([
  [['serv'], "unknown command 'serv'", 'Did you mean serve?'],
  [['users:password'], "missing required argument 'email'", '--help'],
  [['users:password', 'a@example.com', 'b@example.com'], 'too many arguments', '--help'],
  [['flags:types', '--colour'], "unknown option '--colour'", '--help'],
  [['sample', '1', '--remov'], "unknown option '--remov'", 'Did you mean --remove?'],
])('wrong use ends with 2 and says what is wrong: %j', async (args, ...sentences) => {
  const { code, output, errors } = await runCommand(args);
  expect([code, output]).toEqual([2, '']);
  for (const sentence of sentences) expect(errors).toContain(sentence);
});
