import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Service, startService } from '@tidemark/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';

/* The command of @tidemark/node in an application: what it writes is read by the compiler with the real packages. */
const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));
const { bin } = JSON.parse(await readFile(join(MODULES, '@tidemark/node/package.json'), 'utf8'));
const COMMAND = join(MODULES, '@tidemark/node', bin['tidemark-flags-types']);

let service: Service;
let folder: string;
let env: Record<string, string>;
beforeAll(async () => {
  service = await startService();
  folder = await mkdtemp(join(tmpdir(), 'tidemark-flags-types-'));
  env = { TIDEMARK_HOST: service.url, TIDEMARK_PERSONAL_API_KEY: service.account.personalKey };
  const variants = ['plain', 'loud'].map((key) => ({ key, rollout_percentage: 50 }));
  await makeFlag('new-checkout', { name: 'The checkout on one page' });
  await makeFlag('button', { filters: { groups: [{}], multivariate: { variants }, payloads: { loud: '{"color":"red"}' } } });
  await mkdir(join(folder, 'node_modules/@types'), { recursive: true });
  await symlink(join(MODULES, '@tidemark'), join(folder, 'node_modules/@tidemark'));
  await symlink(join(MODULES, '@types/node'), join(folder, 'node_modules/@types/node'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
});
afterAll(async () => {
  await service?.close();
  await rm(folder, { recursive: true, force: true });
});

async function makeFlag(key: string, fields: object): Promise<void> {
  expect((await service.post('/api/projects/@current/feature_flags/', { key, ...fields })).status).toBe(201);
}

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a script of Node.js in the application. */
const run = (script: string, args: string[], settings: Record<string, string> = env): Promise<Ended> =>
  promisify(execFile)(process.execPath, [script, ...args], { cwd: folder, env: settings }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );

test('the compiler knows keys, variants and payloads by the written file', async () => {
  expect(await run(COMMAND, ['--out', 'flags.d.ts'])).toEqual({ code: 0, stdout: 'flags.d.ts: 2 flags\n', stderr: '' });
  const uses = {
    good: `const value = await client.getFeatureFlag('button', 'id'); export const isLoud = value === 'loud';`,
    key: `await client.getFeatureFlag('buton', 'id');`,
    variant: `export const isHuge = (await client.getFeatureFlag('button', 'id')) === 'huge';`,
  };
  for (const [name, use] of Object.entries(uses)) {
    const text = `import { init } from '@tidemark/node';\nconst client = init('tmk_x', { host: 'http://127.0.0.1' });\n${use}\n`;
    await writeFile(join(folder, `${name}.ts`), text);
  }
  const names = Object.keys(uses).map((name) => `${name}.ts`);
  const options = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext', '--types', 'node'];
  const { stdout } = await run(join(MODULES, 'typescript/bin/tsc'), [...options, ...names, 'flags.d.ts']);
  const faults = stdout.split('\n').filter((line) => /^\S/.test(line));
  expect(faults.sort()).toEqual([
    expect.stringMatching(/^key\.ts\(3,\d+\): error .*"buton"/),
    expect.stringMatching(/^variant\.ts\(3,\d+\): error .*"huge"/),
  ]);
});

test('--check fails when the file is stale, and errors are one sentence', async () => {
  const args = ['--out', 'checked.d.ts', '--project', '@current'];
  expect(await run(COMMAND, args)).toMatchObject({ code: 0 });
  expect(await run(COMMAND, [...args, '--check'])).toMatchObject({ code: 0, stdout: 'checked.d.ts is up to date: 2 flags\n' });
  await writeFile(join(folder, 'checked.d.ts'), 'export {};\n');
  expect(await run(COMMAND, [...args, '--check'])).toEqual({
    code: 1,
    stdout: '',
    stderr: 'checked.d.ts is not up to date: run the command without --check.\n',
  });
  expect(await readFile(join(folder, 'checked.d.ts'), 'utf8')).toBe('export {};\n');
  const failure = async (args: string[], settings?: Record<string, string>) => {
    const { code, stdout, stderr } = await run(COMMAND, args, settings);
    expect(stdout).toBe('');
    return `${code} ${stderr}`;
  };
  expect(await failure([], {})).toMatch(/^1 Say where the service is: .*TIDEMARK_HOST\.\n$/);
  expect(await failure([], { TIDEMARK_HOST: service.url })).toMatch(/^1 A personal API key is needed: .*\n$/);
  expect(await failure(['--key', 'tms_wrong'])).toMatch(/^1 The service answers 401: [A-Z].*\n$/);
  expect(await failure(['--host', 'http://127.0.0.1:1'])).toMatch(/^1 No answer from http:\/\/127\.0\.0\.1:1: .*\n$/);
  expect(await failure(['--colour'])).toMatch(/^2 Unknown option '--colour'.*\n\(tidemark-flags-types --help/);
  expect(await run(COMMAND, ['--help'])).toMatchObject({ code: 0, stdout: expect.stringContaining('--module <name>') });
});
