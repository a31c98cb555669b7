import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '@tidemark/testkit';
import { type FastifyInstance, fastify } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { installErrorHandler } from '../../http/error-handler.js';
import { registerPackages } from './index.js';

const run = promisify(execFile);

let home: string;
let stored: string;
let warnings: string[];
let app: FastifyInstance | null;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'tidemark-packages-'));
  stored = join(home, 'data/packages');
  warnings = [];
  app = null;
});
afterEach(async () => {
  await app?.close();
  await rm(home, { recursive: true, force: true });
});

/** The packages of a version of the service, as its build writes them: a real tarball and its index. */
async function release(version: string, says = version): Promise<string> {
  const source = join(home, `source-${says}`);
  const folder = join(home, `release-${says}`);
  await mkdir(source);
  await mkdir(folder);
  const manifest = { name: '@tidemark/example', version, main: 'index.js' };
  await writeFile(join(source, 'package.json'), JSON.stringify(manifest));
  await writeFile(join(source, 'index.js'), `console.log('this is ${says}');\n`);
  const { stdout } = await run('npm', ['pack', source, '--pack-destination', folder, '--loglevel=error']);
  const tarball = stdout.trim();
  const integrity = `sha512-${createHash('sha512')
    .update(await readFile(join(folder, tarball)))
    .digest('base64')}`;
  await writeFile(join(folder, 'index.json'), JSON.stringify([{ ...manifest, dist: { tarball, integrity } }]));
  return folder;
}

/** The service of a version, in place of the one that ran before on the same data and port. */
let port = 0;
async function serve(packed: string): Promise<string> {
  await app?.close();
  app = fastify({ routerOptions: { ignoreTrailingSlash: true, maxParamLength: 500 } });
  installErrorHandler(app);
  const log = { warn: (_fields: unknown, text?: string) => warnings.push(String(text)) } as never;
  registerPackages(app, { packed, stored, log });
  const url = await app.listen({ port, host: '127.0.0.1' });
  port = Number(new URL(url).port);
  return url;
}

const get = (path: string) => (app ?? fastify()).inject({ url: `/static/packages/${path}` });

/** An application whose `.npmrc` names the service, with a cache of its own. */
async function application(name: string, url: string): Promise<(...args: string[]) => Promise<string>> {
  const folder = join(home, name);
  await mkdir(folder);
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  await writeFile(join(folder, '.npmrc'), `@tidemark:registry=${url}/static/packages/\n`);
  return async (...args) => {
    const cache = await mkdtemp(join(home, 'cache-'));
    const options = ['--no-audit', '--no-fund', '--loglevel=error', `--cache=${cache}`];
    await run('npm', [...args, ...options], { cwd: folder });
    return (await run(process.execPath, ['-e', "require('@tidemark/example')"], { cwd: folder })).stdout;
  };
}

test('a lock file resolves after an upgrade, and the newest version is the latest', { timeout: 240_000 }, async () => {
  const url = await serve(await release('1.9.0'));
  const npm = await application('app', url);
  expect(await npm('install', '@tidemark/example')).toBe('this is 1.9.0\n');

  const newer = await release('1.10.0');
  await serve(newer);
  expect(await npm('ci')).toBe('this is 1.9.0\n');
  expect(await npm('install', '@tidemark/example@latest')).toBe('this is 1.10.0\n');
  expect(await (await application('other', url))('install', '@tidemark/example')).toBe('this is 1.10.0\n');

  // a third version still has the first
  await serve(await release('2.0.0'));
  const described = (await get('@tidemark%2fexample')).json();
  expect(described).toMatchObject({ 'dist-tags': { latest: '2.0.0' } });
  expect(Object.keys(described.versions)).toEqual(['2.0.0', '1.10.0', '1.9.0']);
  expect(JSON.stringify(described)).not.toContain(home);
  await eventually(async () => expect((await readdir(stored)).sort()).toEqual(['1.10.0', '1.9.0', '2.0.0']));
  // after a downgrade the running version is the latest again
  await serve(newer);
  expect((await get('@tidemark/example')).json()).toMatchObject({
    'dist-tags': { latest: '1.10.0' },
  });
  expect(warnings).toEqual([]);
});

test('the address of the registry lists the packages', async () => {
  await serve(await release('1.0.0'));
  const { packages } = (await get('')).json();
  expect(packages).toEqual([(await get('@tidemark/example')).json()]);
  expect((await app?.inject(new URL(packages[0].versions['1.0.0'].dist.tarball).pathname))?.statusCode).toBe(200);
});

test('another build of the same version takes the place of the stored one', async () => {
  await serve(await release('1.0.0', 'the first build'));
  const second = await release('1.0.0', 'the second build');
  await serve(second);
  expect((await get('tidemark-example-1.0.0.tgz')).rawPayload).toEqual(
    await readFile(join(second, 'tidemark-example-1.0.0.tgz')),
  );
  const index = await readFile(join(second, 'index.json'), 'utf8');
  await eventually(async () => expect(await readFile(join(stored, '1.0.0/index.json'), 'utf8')).toBe(index));
  await eventually(async () => expect(await readdir(stored)).toEqual(['1.0.0']));
});

test('a second start of the same version writes nothing, unless a stored file is gone', async () => {
  const packed = await release('1.0.0');
  await serve(packed);
  const folder = join(stored, '1.0.0');
  await eventually(async () => expect(await readdir(folder)).toHaveLength(2));
  const { ino } = await stat(folder);
  await serve(packed);
  // the close waits until the packages are stored
  await app?.close();
  expect((await stat(folder)).ino).toBe(ino);
  await rm(join(folder, 'tidemark-example-1.0.0.tgz'));
  await serve(packed);
  await eventually(async () => expect((await readdir(folder)).sort()).toEqual(['index.json', 'tidemark-example-1.0.0.tgz']));
  expect((await stat(folder)).ino).not.toBe(ino);
  expect(warnings).toEqual([]);
});

test('what cannot be stored or read is logged, and the version itself is served', async () => {
  await mkdir(join(stored, '0.9.0'), { recursive: true });
  await writeFile(join(stored, '0.9.0/index.json'), '[{ "name": "../../secret" }]');
  await serve(await release('1.0.0'));
  const names = async () => Object.keys((await get('@tidemark/example')).json().versions);
  expect(await names()).toEqual(['1.0.0']);
  expect(warnings).toEqual(['stored packages cannot be read']);

  // the close waits until the first version is stored
  await app?.close();
  await rm(join(home, 'data'), { recursive: true });
  await writeFile(join(home, 'data'), 'a file');
  await serve(await release('1.1.0'));
  expect(await names()).toEqual(['1.1.0']);
  await eventually(async () => expect(warnings.slice(1)).toEqual(['the packages of this version were not stored']));
  const unknown = await get('@tidemark/none');
  expect([unknown.statusCode, unknown.json()]).toEqual([404, expect.objectContaining({ code: 'not_found' })]);
});
