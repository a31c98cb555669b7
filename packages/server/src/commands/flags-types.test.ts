import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from '../testing/run-command.js';
import { startTestService, type TestService } from '../testing/service.js';

const flagsTypes = (args: string[], env: Record<string, string>) => runCommand(['flags:types', ...args], env);

const COMPILER = fileURLToPath(new URL('../../../../node_modules/typescript/bin/tsc', import.meta.url));

let service: TestService;
let folder: string;
let env: Record<string, string>;
let file: string;
beforeAll(async () => {
  service = await startTestService();
  env = {
    TIDEMARK_HOST: await service.app.listen({ port: 0, host: '127.0.0.1' }),
    TIDEMARK_PERSONAL_API_KEY: service.personalKey,
  };
  folder = await mkdtemp(join(tmpdir(), 'tidemark-flags-types-'));
  file = join(folder, 'flags.d.ts');
  const variants = ['plain', 'loud'].map((key) => ({ key, rollout_percentage: 50 }));
  await makeFlag('new-checkout', { name: 'The checkout on one page' });
  await makeFlag('button', { filters: { groups: [{}], multivariate: { variants }, payloads: { loud: '{"color":"red"}' } } });
});
afterAll(async () => {
  await service?.close();
  await rm(folder, { recursive: true, force: true });
});

async function makeFlag(key: string, fields: object): Promise<void> {
  const { statusCode, body } = await service.call('POST', '/api/projects/@current/feature_flags/', { body: { key, ...fields } });
  expect([statusCode, body]).toEqual([201, expect.any(String)]);
}

/** What the compiler says of files that use the flags: its lines by the file's place. */
async function compile(...uses: string[]): Promise<string[]> {
  const registry =
    'export interface FlagRegistry {}\nexport declare function flag<K extends keyof FlagRegistry>(key: K): FlagRegistry[K];';
  await writeFile(join(folder, 'library.ts'), registry);
  const names = uses.map((_, index) => `use${index}.ts`);
  for (const [index, use] of uses.entries()) {
    await writeFile(join(folder, `use${index}.ts`), `import './flags.js';\nimport { flag } from './library.js';\n${use}`);
  }
  const options = ['--noEmit', '--strict', '--module', 'nodenext', ...names, 'flags.d.ts'];
  const { stdout } = await promisify(execFile)(process.execPath, [COMPILER, ...options], { cwd: folder }).catch((error) => error);
  const lines = String(stdout).split('\n');
  expect(lines.filter((line) => line !== '' && !/^(use\d+\.ts| )/.test(line))).toEqual([]);
  return names.map((name) => lines.filter((line) => line.startsWith(name)).join('\n'));
}

test('with the written file the compiler checks keys, variants and payloads', async () => {
  const written = await flagsTypes(['--out', file, '--module', './library.js'], env);
  expect(written).toEqual({ output: `${file}: 2 flags\n`, code: 0, errors: '' });
  expect(await readFile(file, 'utf8')).toContain('/** The checkout on one page */');
  const good = `const color: string = flag('button').payload.color; const loud = flag('button').value === 'loud'; export { color, loud };`;
  expect(
    await compile(
      good,
      `flag('buton');`,
      `export const huge = flag('button').value === 'huge';`,
      `export const size = flag('button').payload.size;`,
    ),
  ).toEqual(['', expect.stringContaining('"buton"'), expect.stringContaining('"huge"'), expect.stringContaining("'size'")]);
});

test('--check exits with an error if the file is stale, and writes nothing', async () => {
  const out = join(folder, 'checked.d.ts');
  expect(await flagsTypes(['--check', '--out', out], env)).toMatchObject({ code: 1 });
  await flagsTypes(['--out', out], env);
  expect(await flagsTypes(['--check', '--out', out], env)).toMatchObject({ output: `${out} is up to date: 2 flags\n`, code: 0 });
  const before = await readFile(out, 'utf8');
  await makeFlag('later', {});
  expect(await flagsTypes(['--check', '--out', out], env)).toMatchObject({ code: 1 });
  expect(await readFile(out, 'utf8')).toBe(before);
});

test('an error is reported in one sentence', async () => {
  const failure = async (args: string[], env: Record<string, string>) => {
    const { errors, code, output } = await flagsTypes(args, env);
    expect([code, output]).toEqual([1, '']);
    return errors;
  };
  expect(await failure([], {})).toContain('TIDEMARK_HOST');
  expect(await failure([], { TIDEMARK_HOST: 'http://x' })).toContain('TIDEMARK_PERSONAL_API_KEY');
  expect(await failure(['--host', 'http://127.0.0.1:1'], env)).toContain('No answer from http://127.0.0.1:1: ');
  expect(await failure(['--key', 'tms_wrong'], env)).toMatch(/^The service answers 401: [A-Z]/);
  expect(await failure(['--project', '99999'], env)).toMatch(/^The service answers 404: /);
});
